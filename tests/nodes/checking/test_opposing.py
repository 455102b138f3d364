"""A statement with the opposite of a word of its source is found; one in other words is not."""

import gzip
import json
from pathlib import Path

import pytest

from anamnesis.corpus.starter import read_starter
from anamnesis.language.text import sentences
from nodes.checking.opposing import opposing


@pytest.mark.parametrize(
    ("statement", "passage", "found"),
    [
        (
            "Early prostate cancer always causes symptoms.",
            "Early prostate cancer sometimes causes symptoms.",
            ["sometimes"],
        ),
        (
            "Croup symptoms are often better at night.",
            "Croup symptoms are often worse at night.",
            ["worse"],
        ),
        (
            "Losartan can lower the level of potassium in the blood.",
            "Losartan can raise the level of potassium in the blood.",
            ["raise"],
        ),
        # Both words are in the statement, or in the passage.
        (
            "Losartan lowers pressure and raises potassium.",
            "Losartan can raise the level of potassium.",
            [],
        ),
        (
            "Losartan lowers blood pressure.",
            "Losartan lowers blood pressure. Losartan raises potassium.",
            [],
        ),
        # Another thing is said to be worse.
        ("Croup is better at night.", "A barking cough is worse than a dry one.", []),
        # Two negations, and no opposite.
        ("The cause is unknown.", "The cause is not known.", []),
    ],
)
def test_the_word_of_the_passage_is_named(statement: str, passage: str, found: list[str]) -> None:
    assert opposing(statement, passage) == found


@pytest.mark.parametrize(
    ("statement", "passage", "found"),
    [
        ("Take at least four tablets a day.", "Take at most four tablets a day.", "at most"),
        ("Take up to four tablets a day.", "Take at least four tablets a day.", "at least"),
        ("Doses are given twice daily.", "Doses are given once daily.", "once daily"),
        ("Doses are taken three times a day.", "Doses are taken twice a day.", "twice"),
    ],
)
def test_a_phrase_is_one_word(statement: str, passage: str, found: str) -> None:
    assert opposing(statement, passage) == [found]
    assert opposing(statement, statement) == []


@pytest.mark.parametrize(
    ("passage", "found"),
    [
        ("Breathlessness comes with exertion; physical activity is good.", "exertion"),
        ("Breathlessness comes with activity; hard physical exertion is good.", "activity"),
    ],
)
def test_every_opposite_in_the_passage_is_examined(passage: str, found: str) -> None:
    assert opposing("Breathlessness comes with rest.", passage) == [found]


def test_no_sentence_opposes_the_text_that_it_is_from() -> None:
    for record in list(read_starter())[::30]:
        for start, end in sentences(record.text):
            assert opposing(record.text[start:end], record.text) == []


def test_replies_that_reverse_their_passage_are_distinguished_from_those_that_do_not(
    shared_data: Path,
) -> None:
    """Of 105 replies by another writer, 30 reverse a word of the passage, and not only its sense.

    Of the faithful ones a single one is taken for such a reply: 'You were right' where something is
    'left in place'.
    """
    with gzip.open(shared_data / "asked_starter.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if '"error"' in line]
    turned = [row for row in rows if "revers" in (row["error"] or "")]
    assert len(turned) == 105
    passages = [" ".join(row["sentences"]) for row in turned]
    both = list(zip(turned, passages, strict=True))
    assert sum(bool(opposing(row["wrong"], passage)) for row, passage in both) >= 30
    assert sum(bool(opposing(row["reply"], passage)) for row, passage in both) <= 1
