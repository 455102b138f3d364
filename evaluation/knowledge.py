"""The protocol for what a model knows by itself: can it complete the facts of a base? (K1)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from anamnesis.corpus.wording import normal, sentence
from anamnesis.errors import SettingError
from evaluation.results import Rows
from evaluation.significance import MEAN_RESAMPLES, Estimate, mean_intervals

GAP = "…"
"""What stands in the place of the tail."""

# A sentence with a gap to what fills it.
Complete = Callable[[str], str]
Progress = Callable[[int, int], None]


class Triplet(NamedTuple):
    """A fact, and what the base gives as its tail for the same head and relation."""

    head: str
    relation: str
    tail: str
    tails: frozenset[str]

    @property
    def gapped(self) -> str:
        """The fact in words, with a gap for its tail."""
        return sentence(self.head, self.relation, GAP)


@dataclass(frozen=True, slots=True)
class KnowledgeResult:
    """What was measured.

    Attributes:
        metrics: The share of facts whose tail is in the reply (``known``), and of those for which
            the reply has a tail that the base gives for the same head and relation (``any_tail``).
        rows: For each fact the sentence with its gap, the tail, and the reply.
    """

    metrics: Mapping[str, Estimate]
    rows: Sequence[Mapping[str, Any]]


def triplets(facts: Sequence[Mapping[str, Any]]) -> list[Triplet]:
    """Facts with ``head``, ``relation`` and ``tail``, each with the tails of its like."""
    alike: dict[tuple[str, str], set[str]] = {}
    for own in facts:
        alike.setdefault((own["head"], own["relation"]), set()).add(own["tail"])
    return [
        Triplet(
            own["head"],
            own["relation"],
            own["tail"],
            frozenset(alike[own["head"], own["relation"]]),
        )
        for own in facts
    ]


def evaluate_knowledge(
    asked: Sequence[Triplet],
    complete: Complete,
    *,
    seed: int = 0,
    resamples: int = MEAN_RESAMPLES,
    progress: Progress | None = None,
    kept: Rows | None = None,
) -> KnowledgeResult:
    """Have each fact completed. A tail counts where its words stand in the reply, in any case.

    Args:
        asked: See ``triplets``.
        complete: The model.
        seed: Of the bootstrap.
        resamples: Of the bootstrap, over facts.
        progress: Called after each fact.
        kept: Replies of an earlier run by number; new ones are put into it.

    Raises SettingError if there is no fact.
    """
    if not asked:
        raise SettingError("there is no fact to ask for; give at least one")
    kept = {} if kept is None else kept
    rows = []
    for done, own in enumerate(asked, start=1):
        if str(done) not in kept:
            kept[str(done)] = complete(own.gapped)
        rows.append({"asked": own.gapped, "tail": own.tail, "reply": kept[str(done)]})
        if progress is not None:
            progress(done, len(asked))
    values = {
        "known": [_said(own.tail, row["reply"]) for own, row in zip(asked, rows, strict=True)],
        "any_tail": [
            any(_said(tail, row["reply"]) for tail in own.tails)
            for own, row in zip(asked, rows, strict=True)
        ],
    }
    columns = {name: np.array(found, np.float64) for name, found in values.items()}
    return KnowledgeResult(mean_intervals(columns, seed, resamples), rows)


def _said(tail: str, reply: str) -> bool:
    return f" {_words(tail)} " in f" {_words(reply)} "


def _words(text: str) -> str:
    kept = "".join(own if own.isalnum() else " " for own in normal(text))
    return " ".join(kept.split())
