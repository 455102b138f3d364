"""Warnings on the questions of data sets, and their judgements."""

import csv
import gzip
import json
from pathlib import Path

from benchmarks.question_warnings import JUDGED, SETS, UNJUDGED, counts, given, judgements


def test_every_judgement_is_one_of_three_and_names_a_question_once() -> None:
    with JUDGED.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    assert {row["judgement"] for row in rows} == {"right", "needless", "wrong"}
    assert {row["set"] for row in rows} <= set(SETS)
    assert len(judgements()) == len(rows) > 100


def test_the_warnings_on_the_questions_of_a_data_set_are_counted(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "question_1": "Is ibuprofen safe with warfarin?", "question_2": "What is flu?"},
        {"id": "b", "question_1": "What is flu?", "question_2": "Is aspirin safe at 6 years old?"},
    ]
    with gzip.open(tmp_path / "medical_question_pairs.jsonl.gz", "wt") as out:
        out.write("\n".join(map(json.dumps, rows)))
    number, found = given(tmp_path, "medical_question_pairs")
    assert number == 3
    assert [(item.id, item.names, item.judgement) for item in found] == [
        ("a question_1", "medicine: ibuprofen | warfarin", UNJUDGED),
        ("b question_2", "age: 6 | aspirin", UNJUDGED),
    ]
    assert counts(found) == "2 warnings: 2 not judged"
