"""LiveQA-Med as corpus and queries, with the lower of two grades."""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.loading import read
from anamnesis.errors import CorpusError
from benchmarks.liveqa_helpfulness import ANSWERS, QUESTIONS, main, queries
from evaluation.reading import read_queries


def packed(file: Path, *rows: Any) -> Path:
    file.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    return file


def question(qid: str, message: str, **grades: list[int]) -> dict[str, Any]:
    judged = [{"answer_id": key, "grades": grade_list} for key, grade_list in grades.items()]
    fields = {"subject": "Gout", "message": message, "summary": f"{qid} in short?"}
    return {"qid": qid, **fields, "judgments": judged}


ROWS = [
    question("TQ1", "My toe hurts.", a=[4, 3], b=[1], c=[2]),
    question("TQ2", "", a=[3, 1], b=[2]),
    question("TQ3", "Nobody judged this."),
]


def test_what_is_written_can_be_evaluated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    packed(
        tmp_path / ANSWERS,
        {"answer_id": "a", "question": "What is gout ?", "answer": "A swelling."},
        {"answer_id": "b", "question": "Without an answer", "answer": ""},
    )
    packed(tmp_path / QUESTIONS, *ROWS)
    out = tmp_path / "out"
    monkeypatch.setattr(sys, "argv", ["it", "--data", str(tmp_path), "--out", str(out)])
    main()
    assert f"{out / 'messages_all'}.jsonl: 2 rows" in capsys.readouterr().out
    first, second = read("beir", [out / "corpus.jsonl"])
    assert (first.id, first.question, first.text) == ("a", "What is gout?", "A swelling.")
    assert second.text == "Without an answer"
    every, answerable, summaries, short = (
        read_queries(out / f"{name}.jsonl", graded=True)
        for name in ("messages_all", "messages_answerable", "summaries_all", "summaries_answerable")
    )
    assert [query.text for query in every] == ["Gout\nMy toe hurts.", "Gout"]
    assert [summary.text for summary in summaries] == ["TQ1 in short?", "TQ2 in short?"]
    assert [query.relevant for query in every] == [{"a": 2, "b": 0, "c": 1}, {"a": 0, "b": 1}]
    assert [query.id for query in answerable] == [query.id for query in short] == ["TQ1"]


@pytest.mark.parametrize(
    "wrong", [{"qid": "TQ9"}, {**ROWS[0], "summary": None}, {**ROWS[0], "judgments": [{}]}, "text"]
)
def test_a_record_of_another_form_is_named(tmp_path: Path, wrong: Any) -> None:
    file = packed(tmp_path / QUESTIONS, ROWS[0], wrong)
    with pytest.raises(
        CorpusError, match=r"line 2: it is not a record of LiveQA-Med.*It must have"
    ):
        queries(file)
