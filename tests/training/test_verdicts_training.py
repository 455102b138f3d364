"""The combination for verdicts: fitting it, and what is printed."""

import json
import random
from pathlib import Path

import pytest

from anamnesis.corpus.topics import is_held_out_topic
from nodes.writing import verdicts
from training.judged import Graded, Judged
from training.verdicts import Row, cross_fitted, fit, main, pairs, report, swapped

VALUES = ("yes", "no", "depends", "open")


def made(number: int = 120) -> list[Row]:
    """Rows whose value is that of the highest log-odds of the reader."""
    rng, found = random.Random(5), []
    for at in range(number):
        value = VALUES[at % 4]
        scores = [3.0 if name == value else -3.0 + rng.random() for name in VALUES]
        says = {"yes": (0.95, 0.02), "no": (0.02, 0.95)}.get(value, (0.1, 0.1))
        sides = [2.9 if item > 0.5 else -3.0 for item in says]
        found.append(Row([*scores, 3.0, *sides], says, value, f"topic {at // 2}"))
    return found


def test_yes_and_no_are_exchanged_in_inputs_and_values() -> None:
    [row] = swapped([Row([1, 2, 3, 4, 5, 6, 7], (0.6, 0.7), "yes", "t")])
    assert row == Row([2, 1, 3, 4, 5, 7, 6], (0.7, 0.6), "no", "t")


def test_what_is_fitted_recognises_the_values_and_favours_neither_yes_nor_no() -> None:
    found = made()
    weights = fit(found)
    assert list(weights) == list(verdicts.WEIGHTS)
    assert {len(weights_of_kind) for weights_of_kind in weights.values()} == {
        len(verdicts.INPUTS) + 1
    }
    assert weights["yes"][-1] == pytest.approx(weights["no"][-1], abs=0.02)
    lines = list(report(found, cross_fitted(found)))
    assert any("90 shown, 90 right" in line for line in lines)


def test_rows_that_were_kept_are_not_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "rows.jsonl"
    kept.write_text("".join(f"{json.dumps(item)}\n" for item in made()), "utf-8")
    assert main(["--data", str(tmp_path), "--rows", str(kept)]) == 0
    said = capsys.readouterr().out
    assert "of 120" in said
    assert '"yes": (' in said


def test_missing_data_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path)]) == 1
    assert str(tmp_path) in capsys.readouterr().err


def test_questions_as_typed_are_read_with_the_pages_of_those_that_a_page_decides(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def page(polar: str | None, grade: int) -> Graded:
        return Graded("gout", ("Gout?", "It is."), grade, frozenset(), polar)

    aside = next(name for name in map("q{}".format, range(100)) if is_held_out_topic(name))
    decided = (page("yes", 3), page(None, 0))
    asked = [
        Judged(aside, "is it gout", "", "", decided),
        Judged(aside, "what is gout", "", "", (page("open", 3), page(None, 0))),
    ]
    monkeypatch.setattr("training.verdicts.read_question_passages", lambda data: [])
    monkeypatch.setattr("training.verdicts.read_judged", lambda data, *path: asked if path else [])
    found = list(pairs(tmp_path))
    assert [(item.question, item.value) for item in found] == [
        ("is it gout", "yes"), ("is it gout", "open")
    ]  # fmt: skip
