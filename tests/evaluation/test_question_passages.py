"""Files of questions with the sentences of a passage."""

import json
from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.starter import read_starter
from anamnesis.corpus.topics import is_held_out_topic
from anamnesis.errors import CorpusError
from evaluation.question_passages import QuestionPassage, read_question_passages


def written(tmp_path: Path, name: str, *rows: Any) -> Path:
    file = tmp_path / f"{name}.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


ROW = {"heading": None, "sentences": ["A.", "B. "], "question": "Q?", "answers": [2]}


def test_questions_are_read_with_their_sentences_or_those_of_a_passage(tmp_path: Path) -> None:
    file = written(tmp_path, "own", ROW, {**ROW, "answers": [], "polar": "depends", "style": "s"})
    assert read_question_passages(file) == [
        QuestionPassage("Q?", "", ("A.", "B."), frozenset({1})),
        QuestionPassage("Q?", "", ("A.", "B."), frozenset(), "depends", "s"),
    ]
    passages = written(
        tmp_path, "passages", {"passage": "p", "heading": "H", "sentences": ["C."], "focus": "F"}
    )
    file = written(tmp_path, "asked", {"passage": "p", "question": "Q?", "answers": [1]})
    assert read_question_passages(file, passages) == [
        QuestionPassage("Q?", "H", ("C.",), frozenset({0}))
    ]
    with pytest.raises(CorpusError, match=r"asked.jsonl, line 1: no field 'sentences'.*--passages"):
        read_question_passages(file)
    wrong = written(tmp_path, "wrong", {"passage": "x", "question": "Q?", "answers": [1]})
    with pytest.raises(CorpusError, match=r"wrong.jsonl, line 1: there is no passage 'x'"):
        read_question_passages(wrong, passages)
    twice = written(tmp_path, "twice", *[{"passage": "p", "sentences": ["C."]}] * 2)
    with pytest.raises(CorpusError, match=r"twice.jsonl, line 2: the passage 'p' occurs twice"):
        read_question_passages(file, twice)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"question": " "}, "empty question"),
        ({"question": None, "sentences": "A."}, "empty question"),
        ({"sentences": "A."}, "'sentences' is not a list of texts"),
        ({"sentences": []}, "'sentences' is empty"),
        ({"sentences": ["A.", " "]}, "'sentences' is empty, or a sentence is"),
        ({"answers": None}, "'answers' is not a list of numbers"),
        ({"answers": [0]}, "answer 0 is not a sentence .numbers go from 1 to 2"),
        ({"answers": [3]}, "answer 3 is not a sentence"),
        ({"answers": ["1"]}, "answer '1' is not a sentence"),
        ({"answers": [True]}, "answer True is not a sentence"),
        ({"polar": "maybe"}, "unknown polar 'maybe'.*yes, no, depends"),
    ],
)
def test_a_record_that_is_none_is_named(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    file = written(tmp_path, "own", ROW, {**ROW, **change})
    with pytest.raises(CorpusError, match=f"own.jsonl, line 2: .*{said}.*Correct the record"):
        read_question_passages(file)


@pytest.mark.parametrize("missing", ["question", "sentences", "answers"])
def test_a_field_that_is_missing_is_named(tmp_path: Path, missing: str) -> None:
    row = {name: value for name, value in ROW.items() if name != missing}
    with pytest.raises(CorpusError, match=f"own.jsonl, line 1: .*'{missing}'"):
        read_question_passages(written(tmp_path, "own", row))


def test_topics_that_were_trained_on_are_left_out(tmp_path: Path) -> None:
    topics = {record.id: record.focus or record.id for record in read_starter()}
    kept = next(text for text, topic in topics.items() if is_held_out_topic(topic))
    trained = next(text for text, topic in topics.items() if not is_held_out_topic(topic))
    focus = next(f"t{n}" for n in range(99) if is_held_out_topic(f"t{n}"))
    rows = [
        {**ROW, "question": "by record", "record": kept},
        {**ROW, "question": "trained on", "record": trained},
        {**ROW, "question": "by focus", "record": trained, "focus": focus},
    ]
    file = written(tmp_path, "own", *rows)
    texts = [questions.question for questions in read_question_passages(file, held_out=True)]
    assert texts == ["by record", "by focus"]
    with pytest.raises(CorpusError, match="none of its 1 questions is on a topic that is held out"):
        read_question_passages(written(tmp_path, "none", rows[1]), held_out=True)
    with pytest.raises(CorpusError, match=r"line 1: its topic is not known.*give 'focus'"):
        read_question_passages(written(tmp_path, "unknown", ROW), held_out=True)
