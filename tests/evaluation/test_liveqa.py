"""Graded consumer questions (row R7)."""

import json
from pathlib import Path

import pytest

from anamnesis.errors import CorpusError
from evaluation.liveqa import liveqa_pool, liveqa_queries


def test_liveqa_is_read(tmp_path: Path) -> None:
    pool, asked = tmp_path / "pool.jsonl", tmp_path / "asked.jsonl"
    pool.write_text(json.dumps({"answer_id": "a", "question": "Gout?", "answer": ""}) + "\n")
    judged = [{"answer_id": "a", "grades": [4, 2]}, {"answer_id": "b", "grades": [1]}]
    fields = {"qid": "TQ1", "message": "", "summary": "Gout?", "judgments": judged}
    poor = fields | {"qid": "TQ2", "judgments": judged[1:]}
    asked.write_text("".join(json.dumps(row) + "\n" for row in (fields, poor)))
    assert [(record.id, record.text) for record in liveqa_pool(pool)] == [("a", "Gout?")]
    for kind in ("message", "summary"):
        [query] = liveqa_queries(asked, kind)  # type: ignore[arg-type]
        assert (query.id, query.text, query.relevant) == ("TQ1", "Gout?", {"a": 7, "b": 0})
    with pytest.raises(CorpusError, match=r"pool\.jsonl, line 1"):
        liveqa_queries(pool, "message")
    with pytest.raises(CorpusError, match=r"asked\.jsonl, line 1"):
        liveqa_pool(asked)
    asked.write_text("{}\n{broken\n")
    with pytest.raises(CorpusError, match=r"asked\.jsonl, line"):
        liveqa_queries(asked, "message")
