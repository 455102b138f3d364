"""Which of several sources is cited first, and which is weaker [R9]."""

from collections.abc import Callable, Sequence

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


def strength(rank: tuple[int, int]) -> tuple[int, bool]:
    """The place of a source's type in the order, and whether it has no date; the lowest is the
    strongest.

    A source without a date may be out of date; the dates themselves are not compared.
    """
    place, age = rank
    return place, age == 0


def is_weaker(rank: tuple[int, int], cited: Sequence[tuple[int, int]]) -> bool:
    """Whether a source is weaker than the strongest of the ``cited`` ones, by their ranks."""
    return bool(cited) and strength(rank) > min(map(strength, cited))
