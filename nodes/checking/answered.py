"""How well an answer answers its question: its verdict, relevance and parts."""

from collections.abc import Sequence

from nodes.checking.subject import counted_statements
from nodes.fields.passages import Cited, Selected
from nodes.question.several import supported_share
from nodes.state import Part, Round, State, Statement, YesNo

VERDICT = 0.8
"""Minimum product of two probabilities: that the passage answers, and that it says yes, no or
depends.

Of the verdicts on questions on topics that the reader was not trained on, 57 of 62 are right for
one half, with which the threshold was chosen, and 61 of 65 for the other (at .75, 63 of 70 and 73
of 81; at .85, 45 of 50 and 42 of 44). Real messages seldom get one; below .7, most of theirs are
wrong (`python -m benchmarks.bounds`).
"""

LIKELY = 0.5
"""Relevance below which an answer that quotes says that it may not answer the question."""


def may_miss_question(relevance: float | None) -> bool:
    """Whether quotations with this relevance are as likely as not to miss the question."""
    return relevance is not None and relevance < LIKELY


def round_result(state: State, statements: Sequence[Statement], choice: str | None) -> Round:
    """The result of this round, with these statements and this confirmed ``choice``."""
    return {
        "query": state["queries"][-1],
        "choice": choice,
        # Two questions may share a passage.
        "passages": list(dict.fromkeys(item["id"] for item in state["selected"])),
        "statements": list(statements),
        "score": round(supported_share(counted_statements(statements)), 4),
        "cited": _cited_passages(statements, state["selected"]),
        "problem": state["draft"]["problem"],
        "problems": state["draft"].get("problems", {}),
    }


def _cited_passages(statements: Sequence[Statement], selected: Sequence[Selected]) -> list[Cited]:
    """The data to store about passages that are cited by supported statements."""
    keys = {
        (key, item.get("part"))
        for item in statements
        if item["verdict"] == "supported"
        for key in item["citations"]
    }
    found: list[Cited] = []
    for entry in selected:
        if (entry["id"], entry.get("part")) in keys:
            kept: Cited = {
                "id": entry["id"],
                "relevance": entry["relevance"],
                "polar": entry["polar"],
            }
            if "part" in entry:
                kept["part"] = entry["part"]
            found.append(kept)
    return found


def citable_passages(state: State) -> list[Cited]:
    """The passages that a shown statement may cite: those of this and of earlier rounds."""
    return [
        *state["selected"],
        *(item for earlier in state["rounds"] for item in earlier.get("cited", [])),
    ]


def best_cited(statements: Sequence[Statement], selected: Sequence[Cited]) -> Cited | None:
    """The most relevant passage that a statement cites."""
    cited = {key for item in statements for key in item["citations"]}
    return max(
        (item for item in selected if item["id"] in cited),
        key=lambda item: item["relevance"],
        default=None,
    )


def yes_no_verdict(
    statements: Sequence[Statement], selected: Sequence[Cited], threshold: float = VERDICT
) -> YesNo | None:
    """Yes, no or depends, by the reader alone, from the most relevant cited passage.

    None if it is uncertain.
    """
    best = best_cited(statements, selected)
    for word in ("yes", "no", "depends"):
        if best and best["relevance"] * best["polar"].get(word, 0.0) >= threshold:
            return word
    return None


def relevance(statements: Sequence[Statement], selected: Sequence[Cited]) -> float | None:
    """The probability that the statements answer: the highest relevance of a cited passage."""
    best = best_cited(statements, selected)
    return best["relevance"] if best else None


def answer_relevance(
    parts: Sequence[Part], statements: Sequence[Statement], selected: Sequence[Cited]
) -> float | None:
    """The relevance of the whole answer: the lowest one if there are several questions."""
    if not parts:
        return relevance(statements, selected)
    return min((item["relevance"] for item in parts if item["relevance"] is not None), default=None)
