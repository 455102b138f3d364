"""The four data sets of hybrid-memory in one index, by the command line [H8]."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli.main import main

FILES: dict[str, dict[str, Any]] = {
    "medquad-jsonl": {
        "id": "m1",
        "question": "What are the symptoms of gout?",
        "answer": "Gout causes sudden severe pain and swelling of a joint.",
        "source": "NIAMS",
        "focus": "Gout",
        "url": "https://gout.test",
    },
    "medmcqa": {
        "id": "m2",
        "question": "Which vitamin deficiency causes scurvy?",
        **{"opa": "Vitamin A", "opb": "Vitamin B", "opc": "Vitamin C", "opd": "Vitamin D"},
        "cop": 3,
        "exp": "Scurvy is caused by a deficiency of vitamin C.",
        "subject_name": "Biochemistry",
        "topic_name": "Vitamins",
    },
    "bioasq": {
        "id": "m3",
        "body": "Which gene is mutated in cystic fibrosis?",
        "type": "summary",
        "ideal_answer": ["Cystic fibrosis is caused by mutations of the gene CFTR."],
        "documents": ["https://pubmed.ncbi.nlm.nih.gov/1"],
    },
}
# By question: words of the text, title or subject, source.
EXPECTED = {
    "What are the symptoms of gout?": ("swelling of a joint", "Gout", "NIAMS"),
    "Which vitamin deficiency causes scurvy?": ("deficiency of vitamin C", "Vitamins", "MedMCQA"),
    # It has no title but its question.
    FILES["bioasq"]["body"]: ("the gene CFTR", FILES["bioasq"]["body"], "BioASQ"),
    "How is shingles spread?": ("fluid of its blisters", "Shingles", "Clinic"),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("four")
    for name, row in FILES.items():
        whole = {"questions": [row]} if name == "bioasq" else row
        (folder / f"{name}.json").write_text(json.dumps(whole), "utf-8")
        assert (
            main(["index", name, str(folder / f"{name}.json"), "--index", str(folder / "i")]) == 0
        )
    (folder / "own.csv").write_text(
        "question,answer,focus_area,source\n"
        "How is shingles spread?,"
        "Shingles is spread by the fluid of its blisters.,Shingles,Clinic\n",
        "utf-8",
    )
    assert main(["index", "csv", str(folder / "own.csv"), "--index", str(folder / "i")]) == 0
    return folder / "i"


@pytest.mark.parametrize("question", EXPECTED)
def test_a_record_of_each_data_set_answers_with_its_text_title_and_source(
    index: Path, question: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words, title, source = EXPECTED[question]
    assert main(["ask", question, "--index", str(index), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert words in answer["statements"][0]["text"]
    cited = {item["id"]: item["source"] for item in answer["sources"]}
    assert [cited[key] for key in answer["statements"][0]["citations"]] == [source]
    assert main(["retrieve", question, "--index", str(index), "--k", "1", "--json"]) == 0
    [hit] = json.loads(capsys.readouterr().out)
    assert (hit["question"], hit["title"], hit["source"]) == (question, title, source)
    assert words in hit["text"]


def test_the_index_has_all_four(index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", "info", "--index", str(index), "--json"]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in (*FILES, "own"))
