import json
from pathlib import Path

import pytest

from anamnesis.corpus.loading import Report, read
from anamnesis.errors import CorpusError


def write(tmp_path: Path, *rows: object) -> list[Path]:
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return [tmp_path / "corpus.jsonl"]


def test_documents_keep_their_ids_and_metadata(tmp_path: Path) -> None:
    metadata = {"url": "https://example.org", "year": 2001}
    rows = [
        {"_id": 7, "title": "T", "text": "A  b.", "metadata": metadata},
        {"id": "8", "text": "C"},
    ]
    first, second = read("beir", write(tmp_path, *rows))
    assert (first.id, first.title, first.text, first.kind) == ("7", "T", "A b.", "document")
    assert (first.url, first.metadata) == ("https://example.org", metadata)
    assert (second.id, second.title, second.text) == ("8", "", "C")


def test_documents_without_text_or_id_are_skipped(tmp_path: Path) -> None:
    report = Report()
    rows = [{"_id": "1", "text": "A"}, {"_id": "2", "text": ""}, {"text": "B"}]
    assert len(list(read("beir", write(tmp_path, *rows), report=report))) == 1
    assert report.skipped == {"empty text": 1, "no field '_id' or 'id'": 1}


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no field 'text'"):
        list(read("beir", write(tmp_path, {"id": "1", "answer": "A"})))


@pytest.mark.parametrize(("name", "count"), [("scifact", 5183), ("nfcorpus", 3395), ("med", 1033)])
def test_the_real_files_are_read(shared_data: Path, name: str, count: int) -> None:
    assert len(list(read("beir", [shared_data / f"ir_{name}_corpus.jsonl.gz"]))) == count


def test_a_question_or_heading_is_what_the_text_answers(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "question": "What is  gout ?", "text": "A"},
        {"id": "2", "heading": "Gout", "title": "T", "text": "B"},
        {"id": "3", "title": "T", "text": "C"},
    ]
    found = list(read("beir", write(tmp_path, *rows)))
    titles_and_questions = [(record.title, record.question) for record in found]
    assert titles_and_questions == [("What is gout?", "What is gout?"), ("T", "Gout"), ("T", "")]
