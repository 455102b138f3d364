import json
from pathlib import Path

import pytest

from anamnesis.corpus.loading import Report, read
from anamnesis.errors import CorpusError

TEXT = (
    "Background\n\nIt was unknown.\n\nResults\n\nIt works.\n\nConclusion\n\nYes,  it does.".replace(
        "  ", " "
    )
)


def write(tmp_path: Path, text: str) -> list[Path]:
    (tmp_path / "a.json").write_text(text)
    return [tmp_path / "a.json"]


@pytest.mark.parametrize("indent", [None, 4])
def test_the_published_form_is_read(tmp_path: Path, indent: int | None) -> None:
    inner = {
        "QUESTION": "Does it work?", "CONTEXTS": ["It was unknown.", "It works."],
        "LABELS": ["BACKGROUND", "RESULTS"], "MESHES": ["Humans"], "YEAR": "2001",
        "final_decision": "yes", "LONG_ANSWER": "Yes,  it does.",
    }  # fmt: skip
    [record] = read("pubmedqa", write(tmp_path, json.dumps({"123": inner}, indent=indent)))
    assert (record.id, record.question, record.text) == ("123", "Does it work?", TEXT)
    assert (record.kind, record.url) == ("abstract", "https://pubmed.ncbi.nlm.nih.gov/123/")
    assert record.to_json()["metadata"] == {
        "final_decision": "yes", "meshes": ["Humans"], "year": "2001", "date": "2001",
    }  # fmt: skip


def test_abstracts_are_read_without_their_conclusions(tmp_path: Path) -> None:
    row = {"id": "1", "question": "Does it work?", "long_answer": "Yes, it does."}
    row |= {"contexts": ["It was unknown.", "It works."], "labels": ["BACKGROUND", "RESULTS"]}
    [record] = read("pubmedqa-abstracts", write(tmp_path, json.dumps(row)))
    assert record.text == TEXT.partition("\n\nConclusion")[0]
    assert record.id == "1"


def test_json_lines_are_read_and_bad_ones_skipped(tmp_path: Path) -> None:
    good = {"id": "1", "question": "Q?", "contexts": ["A."], "labels": [], "long_answer": ""}
    rows = [good, {**good, "id": "2", "contexts": []}, {"id": "3", "question": "Q?"}]
    report = Report()
    [record] = read("pubmedqa", write(tmp_path, "\n".join(map(json.dumps, rows))), report=report)
    assert record.text == "A."
    assert report.skipped == {"empty abstract": 1, "no field 'contexts'": 1}


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no field 'question'"):
        list(read("pubmedqa", write(tmp_path, '{"x": 1}')))


def test_the_real_file_is_read(shared_data: Path) -> None:
    assert len(list(read("pubmedqa", [shared_data / "pubmedqa_pqal.jsonl.gz"]))) == 500
