"""The protocol for a model's own knowledge: can it complete the facts of a base? [K1]."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from anamnesis.corpus.wording import normal, sentence
from anamnesis.errors import SettingError
from evaluation.results import ONCE, Execution
from evaluation.significance import Estimate, mean_intervals

GAP = "…"
"""The placeholder for the tail."""

# From a sentence with a gap to a text that fills it.
Complete = Callable[[str], str]


class Triplet(NamedTuple):
    """A fact, and all tails that the base has for the same head and relation."""

    head: str
    relation: str
    tail: str
    tails: frozenset[str]

    @property
    def gapped(self) -> str:
        """The fact as a sentence, with a gap for its tail."""
        return sentence(self.head, self.relation, GAP)


@dataclass(frozen=True, slots=True)
class KnowledgeResult:
    """The measures.

    Attributes:
        metrics: The share of facts whose tail is in the reply (``known``), and of facts for which
            any tail of the same head and relation is in the reply (``any_tail``).
        rows: For each fact the sentence with its gap, the tail, and the reply.
    """

    metrics: Mapping[str, Estimate]
    rows: Sequence[Mapping[str, Any]]


def triplets(facts: Sequence[Mapping[str, Any]]) -> list[Triplet]:
    """Facts with ``head``, ``relation`` and ``tail``, each with all tails for these."""
    alike: dict[tuple[str, str], set[str]] = {}
    for item in facts:
        alike.setdefault((item["head"], item["relation"]), set()).add(item["tail"])
    return [
        Triplet(
            item["head"],
            item["relation"],
            item["tail"],
            frozenset(alike[item["head"], item["relation"]]),
        )
        for item in facts
    ]


def evaluate_knowledge(
    questions: Sequence[Triplet], complete: Complete, execution: Execution = ONCE
) -> KnowledgeResult:
    """Have the model complete each fact. A tail counts if the reply has its words, in any case.

    Args:
        questions: See ``triplets``.
        complete: The model.
        execution: See ``results.Execution``.

    Raises SettingError if there is no fact.
    """
    if not questions:
        raise SettingError("there is no fact to ask for; give at least one")
    rows = []
    for number, item in execution.each(questions):
        reply = execution.once(number, partial(complete, item.gapped))
        rows.append({"asked": item.gapped, "tail": item.tail, "reply": reply})
    values = {
        "known": [
            contains(item.tail, row["reply"]) for item, row in zip(questions, rows, strict=True)
        ],
        "any_tail": [
            any(contains(tail, row["reply"]) for tail in item.tails)
            for item, row in zip(questions, rows, strict=True)
        ],
    }
    columns = {name: np.array(found, np.float64) for name, found in values.items()}
    metrics = mean_intervals(columns, execution.seed, execution.resamples)
    return KnowledgeResult(metrics, rows)


def contains(words: str, reply: str) -> bool:
    """Whether a reply contains these words one after the other, in any case."""
    return f" {_words(words)} " in f" {_words(reply)} "


def _words(text: str) -> str:
    kept = "".join(item if item.isalnum() else " " for item in normal(text))
    return " ".join(kept.split())
