import json
from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.loading import Report, read
from anamnesis.errors import CorpusError


def question(cop: Any, **more: Any) -> dict[str, Any]:
    options = {"opa": "Liver", "opb": "Heart", "opc": "Lung.", "opd": "Skin"}
    return {"id": f"q{cop}", "question": "Which  one?", **options, "cop": cop, **more}


def write(tmp_path: Path, *rows: Any) -> list[Path]:
    (tmp_path / "a.json").write_text("\n".join(map(json.dumps, rows)))
    return [tmp_path / "a.json"]


def test_the_text_is_the_right_option_and_the_explanation(tmp_path: Path) -> None:
    paths = write(
        tmp_path,
        question(2, exp="It   pumps.", subject_name="Anatomy", topic_name="Chest"),
        question(3, exp=None),
    )
    first, second = read("medmcqa", paths)
    assert first.text == "Answer: Heart.\n\nIt pumps."
    assert (first.question, first.title, first.focus) == ("Which one?", "Chest", "Anatomy")
    assert (first.kind, first.source) == ("mcq", "MedMCQA")
    assert first.to_json()["metadata"] == {
        "options": {"A": "Liver", "B": "Heart", "C": "Lung.", "D": "Skin"},
        "answer": "B", "subject": "Anatomy", "topic": "Chest",
    }  # fmt: skip
    assert second.text == "Answer: Lung."


@pytest.mark.parametrize(("cops", "letters"), [((1, 4), "AD"), ((1, 0), "BA"), ((3, 1), "CA")])
def test_options_are_counted_from_one_unless_a_zero_occurs(
    tmp_path: Path, cops: tuple[int, int], letters: str
) -> None:
    records = read("medmcqa", write(tmp_path, *map(question, cops)))
    assert "".join(str(r.metadata["answer"]) for r in records) == letters


def test_mirage_forms_are_read(tmp_path: Path) -> None:
    options = {"A": "Yes", "B": "No"}
    inner = {"question": "Q?", "options": options, "answer": "B"}
    rows = [
        {"dataset": "mmlu", "id": "1", **inner},
        {"dataset": "medmcqa", "id": "2", **inner, "explanation": "So."},
    ]
    report = Report()
    [record] = read("medmcqa", write(tmp_path, *rows), report=report)
    assert (record.id, record.text) == ("2", "Answer: No.\n\nSo.")
    assert report.skipped == {"of another data set": 1}
    benchmark = {"mmlu": {"1": inner}, "medmcqa": {"2": inner, "3": inner}}
    assert [r.id for r in read("medmcqa", write(tmp_path, benchmark))] == ["2", "3"]


def test_questions_without_a_usable_key_are_skipped(tmp_path: Path) -> None:
    report = Report()
    rows = [question(4), question(None), question(7), question("x")]
    assert len(list(read("medmcqa", write(tmp_path, *rows), report=report))) == 1
    assert report.skipped == {
        "no right option given": 1, "the number of the right option is out of range": 2,
    }  # fmt: skip


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no field 'opa'"):
        list(read("medmcqa", write(tmp_path, {"question": "Q?", "cop": 1})))


def test_the_real_file_is_read(shared_data: Path) -> None:
    report = Report()
    records = list(read("medmcqa", [shared_data / "mirage.jsonl.gz"], report=report))
    assert (len(records), report.skipped) == (2063, {"of another data set": 1508})
