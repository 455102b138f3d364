"""Corrections that are remembered, measured on scripted answers."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from anamnesis.errors import CorpusError, SettingError
from anamnesis.memory.record import LONGEST
from evaluation.corrections import (
    ROWS,
    Case,
    CorrectionsResult,
    Reply,
    Row,
    evaluate_corrections,
    pairs,
    read_cases,
)
from evaluation.results import Execution
from tests.fakes import HashEmbedder


def case(name: str) -> Case:
    return Case(f"What is {name}?", {"A": "Right", "B": "Wrong"}, "A", f"{name} is so.")


ONE, OTHER, THIRD, FOURTH = map(case, ("gout", "scurvy", "rickets", "mumps"))


def row(**values: object) -> str:
    fields = {
        "dataset": "medmcqa", "id": "1", "question": "Q?", "options": {"A": "a", "B": "b"},
        "answer": "B", "explanation": "It is so.",
    }  # fmt: skip
    return json.dumps({**fields, **values})


def test_questions_that_cannot_be_corrected_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    lines = [
        row(),
        row(id="2", explanation=None),
        row(id="3", options={"A": "b", "B": "b"}),
        row(id="4", explanation="so " * LONGEST),
        row(id="5", dataset="medqa"),
    ]
    file.write_text("\n".join(lines))
    [found] = read_cases(file)
    assert found == Case("Q?", {"A": "a", "B": "b"}, "B", "It is so.")
    assert found.expected == "b. It is so."
    assert found.correction == "To “Q?” the right answer is “b”. It is so."
    with pytest.raises(CorpusError):
        read_cases(tmp_path / "none.jsonl")


def directions(*degrees: float) -> np.ndarray:
    turned = np.radians(degrees)
    return np.stack([np.cos(turned), np.sin(turned)], axis=1)


def drawn(cases: Sequence[Case], *degrees: float, sample: int) -> set[frozenset[str]]:
    found = pairs(cases, directions(*degrees), sample)
    assert pairs(cases, directions(*degrees), sample) == found
    return {frozenset({one.text, other.text}) for one, other in found}


def test_pairs_are_related_and_not_the_same() -> None:
    gout, scurvy, rickets, mumps = (case.text for case in (ONE, OTHER, THIRD, FOURTH))
    # At 10° two questions are the same, at 45° related, at 90° neither.
    found = drawn([ONE, OTHER, THIRD, FOURTH], 0, 10, 45, 180, sample=1)
    assert found <= {frozenset({gout, rickets}), frozenset({scurvy, rickets})}
    found = drawn([ONE, OTHER, THIRD, FOURTH], 0, 45, 200, 240, sample=2)
    assert found == {frozenset({gout, scurvy}), frozenset({rickets, mumps})}


@pytest.mark.parametrize("sample", [0, 2])
def test_too_few_pairs_are_reported(sample: int) -> None:
    with pytest.raises(SettingError, match="1 with an explanation have a related one"):
        pairs([ONE, OTHER, THIRD], directions(0, 45, 180), sample)


def measured(kept: dict[str, object] | None = None) -> CorrectionsResult:
    given: list[Sequence[Case]] = []

    def keep(wrong: Sequence[Case], related: Sequence[Case]) -> None:
        given.extend([wrong, related])

    def ask(case: Case, name: Row) -> Reply:
        assert bool(given) == (name != "baseline")
        if case is THIRD:
            return Reply("A", "rickets is so.", 0, [])
        if name == "same question":
            return Reply("A", "gout is so.", 2, ["two words"])
        return Reply("B" if name == "related question" else None, "", 0, [])

    embedder = HashEmbedder()
    result = evaluate_corrections(
        [(ONE, OTHER), (THIRD, FOURTH)], ask, keep, embedder.embed_documents,
        embedder.count_tokens, Execution(resamples=50, kept=kept),
    )  # fmt: skip
    assert given == [[ONE], [OTHER, FOURTH]]
    return result


def test_only_what_was_not_right_is_corrected_and_rows_are_measured_by_hand() -> None:
    result = measured()
    means = {
        name: {metric: estimate.mean for metric, estimate in found.items()}
        for name, found in result.methods.items()
    }
    assert tuple(means) == ROWS
    shares = {
        name: (mean["right"], mean["wrong"], mean["undetermined"]) for name, mean in means.items()
    }
    assert shares == {
        "baseline": (0.5, 0, 0.5), "same question": (1, 0, 0), "related question": (0.5, 0.5, 0),
        "another user": (0.5, 0, 0.5), "expert's note": (0.5, 0, 0.5),
    }  # fmt: skip
    assert result.corrected == (1, 2)
    assert result.turns == (1, 1, 0)
    same = means["same question"]
    assert (same["recalled"], same["injected"], same["tokens"], same["words"]) == (1, 0.5, 1, 1)
    # Two sentences are said as they are expected: all is covered, as printed a half of it.
    assert (same["ics"], same["ics_literal"], same["kpcs"]) == (1, 0.5, 1)
    assert same["aics"] == pytest.approx(1)
    assert means["baseline"]["aics"] == pytest.approx(0.5)
    found = result.comparisons["aics"]["baseline", "same question"]
    assert found.difference.mean == pytest.approx(0.5)
    assert {pair[0] for comparison in result.comparisons.values() for pair in comparison} == {
        "baseline"
    }
    as_json = result.to_json()
    assert as_json["turns"] == {"first": 1, "second": 1, "neither": 0}
    assert as_json["corrected"] == {"asked": 1, "related": 2}


def test_what_was_answered_before_is_not_asked_again() -> None:
    kept: dict[str, object] = {}
    first = measured(kept)
    before = dict(kept)
    assert len(kept) == 2 * (len(ROWS) + 1)
    assert measured(kept) == first
    assert kept == before
