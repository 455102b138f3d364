import json
from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.loading import Report, read
from anamnesis.errors import CorpusError
from tests.anamnesis.corpus.test_pubmedqa import write

PUBMED = "https://pubmed.ncbi.nlm.nih.gov/"


@pytest.mark.parametrize("indent", [None, 1])
def test_the_published_form_is_read(tmp_path: Path, indent: int | None) -> None:
    questions: list[dict[str, Any]] = [
        {
            "id": "q1", "body": "Does it  help ?", "type": "yesno", "exact_answer": "no",
            "ideal_answer": ["No,  it does not.", "It does not."],
            "documents": [f"{PUBMED}2", f"{PUBMED}1", f"{PUBMED}2"],
        },
        {"id": "q2", "body": "Why?", "ideal_answer": "So.", "documents": []},
        {"id": "q3", "body": "Which?", "exact_answer": [["X"]]},
    ]  # fmt: skip
    report = Report()
    paths = write(tmp_path, json.dumps({"questions": questions}, indent=indent))
    first, second = read("bioasq", paths, report=report)
    assert (first.id, first.question, first.text) == ("q1", "Does it help?", "No, it does not.")
    assert (first.url, first.source, first.kind) == (f"{PUBMED}2", "BioASQ", "qa")
    assert first.to_json()["metadata"] == {
        "type": "yesno", "exact_answer": "no", "documents": [f"{PUBMED}2", f"{PUBMED}1"],
        "other_answers": ["It does not."],
    }  # fmt: skip
    assert (second.text, second.url) == ("So.", "")
    assert [(p.where, p.reason) for p in report.problems] == [("question 3", "no ideal answer")]


def test_json_lines_are_read(tmp_path: Path) -> None:
    row = {"id": "q", "question": "Why?", "ideal_answers": ["So."], "relevant_pmids": ["7"]}
    [record] = read("bioasq", write(tmp_path, json.dumps(row)))
    assert (record.text, record.url) == ("So.", f"{PUBMED}7/")


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"no question \(fields found: x\)"):
        list(read("bioasq", write(tmp_path, '{"x": 1}')))
    with pytest.raises(CorpusError, match="no field 'ideal_answer'"):
        list(read("bioasq", write(tmp_path, '{"question": "Q?", "answer": "A"}')))


def test_passages_are_snippets_of_pubmed(tmp_path: Path) -> None:
    row = {"id": "7-a", "pmid": "7", "section": "title", "text": "Hearts  beat."}
    [record] = read("bioasq-passages", write(tmp_path, json.dumps(row)))
    assert (record.id, record.title, record.text) == ("7-a", "PubMed 7", "Hearts beat.")
    assert (record.kind, record.url) == ("snippet", f"{PUBMED}7/")
    assert record.metadata == {"pmid": "7", "section": "title"}


def test_the_real_files_are_read(shared_data: Path) -> None:
    assert len(list(read("bioasq", [shared_data / "bioasq_questions.jsonl.gz"]))) == 1161
    passages = read("bioasq-passages", [shared_data / "bioasq_passages.jsonl.gz"])
    assert sum(1 for _ in passages) == 20_585
