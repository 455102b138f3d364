"""What is known of an answer as a reply to its question: its verdict, its relevance, its parts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from anamnesis.corpus.passage import Passage
from nodes.evidence.relevance import Cited, Selected
from nodes.question.several import each
from nodes.state import Part, State, Statement
from nodes.writing.reading_list import nearest

VERDICT = 0.75
"""Least probability that the passage answers, times that of its yes, no or depends if it does.

The least bound at which nine of ten are right for one half of the questions on topics that the
reader was not trained on: 66 of 73. For the other half 70 of 76 are right, at .65 83 of 95. Of real
messages kept aside 1 of 96 answers has a verdict, a wrong one, and 2 at .65, of which one is right
(`python -m benchmarks.bounds`)."""


def cited(statements: Sequence[Statement], selected: Sequence[Selected]) -> list[Cited]:
    """What is to be kept of the passages that supported statements cite."""
    keys = {
        (key, item.get("part"))
        for item in statements
        if item["verdict"] == "supported"
        for key in item["citations"]
    }
    found: list[Cited] = []
    for own in selected:
        if (own["id"], own.get("part")) in keys:
            kept: Cited = {"id": own["id"], "relevance": own["relevance"], "polar": own["polar"]}
            if "part" in own:
                kept["part"] = own["part"]
            found.append(kept)
    return found


def weighed(state: State) -> list[Cited]:
    """The passages that a shown statement may cite: those of this round and of earlier ones."""
    return [*state["selected"], *(own for told in state["rounds"] for own in told.get("cited", []))]


def verdict(
    statements: Sequence[Statement], selected: Sequence[Cited], least: float = VERDICT
) -> Literal["yes", "no", "depends"] | None:
    """What the most relevant cited passage says to a yes/no question; None where it is not sure."""
    cited = {key for item in statements for key in item["citations"]}
    best = max(
        (item for item in selected if item["id"] in cited),
        key=lambda item: item["relevance"],
        default=None,
    )
    for word in ("yes", "no", "depends"):
        if best and best["relevance"] * best["polar"].get(word, 0.0) >= least:
            return word
    return None


def relevance(statements: Sequence[Statement], selected: Sequence[Cited]) -> float | None:
    """The probability that what is shown answers: that of the most relevant cited passage."""
    cited = {key for item in statements for key in item["citations"]}
    return max((item["relevance"] for item in selected if item["id"] in cited), default=None)


def overall(
    parts: Sequence[Part], statements: Sequence[Statement], selected: Sequence[Cited]
) -> float | None:
    """The relevance of the whole: of several questions that of the least well answered one."""
    if not parts:
        return relevance(statements, selected)
    return min((own["relevance"] for own in parts if own["relevance"] is not None), default=None)


def answered(
    state: State,
    statements: Sequence[Statement],
    passages: Mapping[str, Passage],
    alone: Callable[[str, Passage], bool],
    notes: Mapping[str, str],
) -> list[Part]:
    """What came of each of several questions; empty where there is one.

    ``notes`` are what a reader must know of single ones, by the question's number.

    ``passages`` has those by id that were read for the questions without an answer; of them no
    sentence is named that stands ``alone`` against other sources.
    """
    found: list[Part] = []
    for number, own in each(state):
        if not number:
            continue
        mine = [item for item in statements if item.get("part") == number]
        found.append(
            {
                "question": state["asks"][number - 1]["question"],
                "answered": bool(mine),
                "verdict": verdict(mine, weighed(own)),
                "relevance": relevance(mine, weighed(own)),
                "nearest": [] if mine else nearest(own["read"], passages, alone),
                "note": notes.get(str(number)),
            }
        )
    return found
