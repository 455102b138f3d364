"""The passages that a stored answer is based on."""

from pathlib import Path
from typing import Any, cast

from anamnesis.corpus.record import Record
from graph import Context
from nodes.parts import Parts
from nodes.remembering.outdated import grounds_of
from nodes.state import Answer, State
from retrievers.build import build
from retrievers.index import Index
from tests.fakes import HashEmbedder

FEVER = "Adults with fever rest in bed."


def test_they_are_what_its_sources_consist_of(tmp_path: Path) -> None:
    build([Record("rest", "Rest", FEVER)], tmp_path, HashEmbedder(), "one")
    parts = Parts(given_index=Index.open(tmp_path, HashEmbedder()))
    question = "What helps against fever?"
    state: Any = {
        "original_question": question, "queries": [question, "fever bed"],
        "cited": ["rest#0"],
    }  # fmt: skip
    answer: Any = {
        "sources": [{"id": "rest", "text": FEVER}],
        "statements": [{"text": FEVER, "verdict": "supported", "citations": ["rest"]}],
    }
    found = grounds_of(cast(State, state), cast(Answer, answer), Context(), parts)
    assert found is not None
    assert list(found.passages) == ["rest#0"]
    assert found.whole
    answer["statements"][0]["citations"] = ["rest", "another"]
    found = grounds_of(cast(State, state), cast(Answer, answer), Context(), parts)
    assert found is not None
    assert not found.whole
