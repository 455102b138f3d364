"""Which of several sources is cited first [R9]."""

from collections.abc import Callable

from anamnesis.corpus.passage import Passage
from anamnesis.corpus.weight import citation_rank, date_of, type_of
from nodes.settings.context import Context

SourceRank = Callable[[Passage], tuple[int, int]]
"""The rank of a passage among those that say the same thing; the lowest is cited first."""


def source_ranks(context: Context) -> SourceRank:
    """By type and date, as the settings order them; all alike if their order is empty."""
    order = context.generator.source_order

    def place(passage: Passage) -> tuple[int, int]:
        if not order:
            return 0, 0
        return citation_rank(
            type_of(passage.metadata, passage.kind), date_of(passage.metadata), order
        )

    return place
