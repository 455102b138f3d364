"""The stage of the reader on the first pages of a search: what it learns from, and its targets."""

import gzip
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.starter import read_starter
from anamnesis.corpus.topics import is_held_out_topic
from anamnesis.errors import CorpusError
from anamnesis.models.folders import SHIPPED
from anamnesis.models.reading import POLAR_OUTPUTS, URGENCY_KINDS
from tests.anamnesis.models.conftest import tiny_bert  # noqa: F401
from tests.training.test_learn_reader import GOUT, OTHER
from training import first_pages as stage
from training.examples import LABELS, json_lines
from training.judged import FIRST_PAGES, Graded, Judged
from training.question_passages import Reading
from training.read import WINDOW
from training.reader import encode, predict, start_from
from training.ship_reader import published_kinds

BURNS = {
    "record": "starter-burns-first-aid",
    "spans": [[0, 20], [21, 40]],
    "heading": "How is a burn treated?",
    "heading_of_message": "What helps a burn on holiday?",
}


def page(topic: str, grade: int, answers: frozenset[int] = frozenset()) -> Graded:
    return Graded(topic, ("What is it?", f"{topic}.", "More."), grade, answers, None)


def test_pages_that_do_not_answer_are_thinned_out_and_held_out_ones_are_not_drawn() -> None:
    aside = next(name for name in map("topic {}".format, range(100)) if is_held_out_topic(name))
    pages = (page("gout", 3, frozenset({1})), page("croup", 0), page("mumps", 1), page(aside, 3))
    questions = [Judged(f"week-{n}", f"question {n}", "", "", pages) for n in range(300)]
    drawn = stage.first_pages(questions, seed=1)
    known = [item for item in questions if not item.held_out]
    assert {item.question for item in drawn} == {item.message for item in known}
    of_topic = {
        topic: [item for item in drawn if item.pieces[1] == f"{topic}."]
        for topic in ("gout", "croup", "mumps", aside)
    }
    assert len(of_topic["gout"]) == len(of_topic["mumps"]) == len(known)
    assert 0.6 < len(of_topic["croup"]) / len(known) < 0.8
    assert not of_topic[aside]
    assert [of_topic[topic][0].answers for topic in ("gout", "croup", "mumps")] == [
        frozenset({1}), frozenset(), None
    ]  # fmt: skip
    assert [of_topic[topic][0].relevance for topic in ("gout", "croup", "mumps")] == [1, 0, 0.12]


def written(monkeypatch: pytest.MonkeyPatch, path: Path, *rows: dict[str, Any]) -> None:
    monkeypatch.setattr("training.judged.medquad", lambda folder: [])
    monkeypatch.setattr(stage, "ASIDES", path)
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))


def test_a_question_is_read_with_and_without_its_aside(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    row = {"question": "burn help", "message": "burn help, we fly on friday", "passages": [BURNS]}
    written(monkeypatch, tmp_path / "asides.jsonl.gz", row)
    [noisy], [clean] = stage.asides(tmp_path)
    assert (noisy.question, noisy.pieces[0]) == (row["message"], BURNS["heading_of_message"])
    assert (clean.question, clean.pieces[0]) == (row["question"], BURNS["heading"])
    assert noisy.pieces[1:] == clean.pieces[1:]
    assert len(clean.pieces) == 3


def test_each_stage_has_its_questions_and_repeats_some_of_earlier_ones(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    row = {"question": "burn help", "message": "burn help, we fly on friday", "passages": [BURNS]}
    written(monkeypatch, tmp_path / "asides.jsonl.gz", *[row] * 5)
    pages = [page("gout", 3), replace(page("gout", 3), polar="yes")]
    asked = [Judged(f"week-{n}", f"question {n}", "", "", (pages[n % 2],)) for n in range(30)]
    old = [Reading("old", ("", "x."), 1.0), Reading("message", level="urgent")]
    monkeypatch.setattr(stage, "read_judged", lambda data, path: asked)
    monkeypatch.setattr(stage, "ranked_high", lambda data, seed: old)
    monkeypatch.setattr(stage, "_OF_FIRST", 20)
    monkeypatch.setattr(stage, "_AGAIN", {"asides": 2, "first pages": 3, "ranked high": 1})
    monkeypatch.setattr(stage, "_NEAR_MISSES", 1)
    monkeypatch.setattr(stage, "_VERDICTS", 3)
    monkeypatch.setattr(stage, "_PAGES_AGAIN", 4)
    monkeypatch.setattr(stage, "_ASIDES_AGAIN", 1)
    monkeypatch.setattr(stage, "read_question_passages", lambda data: [GOUT, OTHER, OTHER])
    first, second, third = stage.examples(tmp_path)
    assert [len(part) for part in (*first[:2], *second[:2])] == [5, 5, 2, 2]
    of_first, of_second = (
        [item.message for item in part if not item.held_out] for part in (asked[:20], asked[20:])
    )
    assert [item.question for item in first[2][:-2]] == of_first
    assert [item.earlier for item in first[2][-2:]] == [bool(item.pieces) for item in first[2][-2:]]
    assert {item.question for item in first[2][-2:]} == {"old", "message"}
    new, near, repeated = (
        second[2][start:end] for start, end in ((0, len(of_second)), (-6, -4), (-4, None))
    )
    assert len(second[2]) == len(of_second) + 6
    assert [item.question for item in new] == of_second
    assert not any(item.earlier or item.polar for item in new)
    assert {item.question for item in repeated[:3]} < set(of_first)
    assert [item.relevance for item in near] == [0.0, 1.0]
    assert len(third[0]) == len(third[1]) == 1
    assert [item.relevance for item in third[2][:2]] == [0.0, 1.0]
    assert [item.polar for item in third[2][2:]] == ["yes"] * 3 + [None] * 4
    assert {item.question for item in third[2][2:]} < {*of_first, *of_second}
    assert all(item.earlier for item in third[2][2:])


def test_an_aside_with_an_unknown_record_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    row = {"question": "a", "message": "a b", "passages": [BURNS | {"record": "starter-none"}]}
    written(monkeypatch, tmp_path / "asides.jsonl.gz", row)
    with pytest.raises(CorpusError, match=r"line 1: there is no record 'starter-none'"):
        stage.asides(tmp_path)


def test_a_question_with_an_aside_gets_the_probabilities_of_the_one_without(
    tiny_bert: Callable[..., Path],  # noqa: F811
) -> None:
    model, tokenizer = start_from(tiny_bert(labels=dict(enumerate(LABELS))))
    pieces = ("", "Gout causes pain.", "Gout is treated.")
    clean = [Reading("gout", pieces, 0.5, frozenset(), earlier=True)] * 2
    long = "gout pain " * 134  # the passage has no room for its second sentence
    noisy = [
        Reading("gout pain", ("Gout?", *pieces[1:]), 0.5, frozenset()),
        Reading(long, (long, *pieces[1:]), 0.5, frozenset()),
    ]
    judged = Reading("gout", pieces, 1.0, frozenset({1}))
    readings = [*noisy, judged, replace(judged, earlier=True)]
    encoded = encode(tokenizer, readings, WINDOW)
    made = stage.taught(model, tokenizer, clean, readings, encoded)
    outputs, sentences = predict(model, tokenizer, clean, WINDOW)
    relevance = outputs[0, 0].sigmoid().item()
    chances = [1 / (1 + math.exp(-logit)) for logit in sentences[0]]
    for item in made[:2]:
        assert item.relevance == pytest.approx(relevance, abs=1e-5)
        assert item.targets[1:] == pytest.approx(chances[: len(item.targets) - 1], abs=1e-5)
    assert [item.ids for item in made] == [item.ids for item in encoded]
    assert len(made[1].targets) < len(made[0].targets)
    assert made[2] == encoded[2]
    assert made[3].relevance == pytest.approx((1 + outputs[0, 0].sigmoid().item()) / 2, abs=1e-5)


@pytest.mark.parametrize("path", [FIRST_PAGES, stage.ASIDES])
def test_the_shipped_rows_are_valid(path: Path) -> None:
    rows = list(json_lines(path))
    texts = {record.id: record.text for record in read_starter()}
    assert len({row["id"] for row in rows}) == len(rows) > 800
    for row in rows:
        assert row["message"].strip()
        for item in row["passages"]:
            spans = item["spans"]
            if item["record"].startswith("starter-"):
                text = texts[item["record"]]
                assert all(text[start:end].strip() == text[start:end] for start, end in spans)
                assert all(text[:start].endswith(" ") for start, _ in spans if start)
            assert item["heading"]
            if path == FIRST_PAGES:
                assert item["grade"] in range(4)
                assert (item["grade"] > 1) == bool(item["answers"])
                assert item["polar"] in ((None, *POLAR_OUTPUTS) if item["grade"] > 1 else (None,))
                assert all(1 <= place <= len(spans) for place in item["answers"])


def test_the_layer_for_kinds_is_kept() -> None:
    found = published_kinds(SHIPPED)
    assert {name: tuple(item.shape) for name, item in found.items()} == {
        "kinds.weight": (len(URGENCY_KINDS), 384), "kinds.bias": (len(URGENCY_KINDS),)
    }  # fmt: skip
