"""The passages that a stored answer is based on."""

from pathlib import Path
from typing import Any, cast

import pytest

from anamnesis.corpus.passage import Passage
from anamnesis.corpus.record import Record
from anamnesis.memory.grounds import Grounds
from graph import Context
from nodes.parts import Parts
from nodes.remembering.outdated import grounds_of, is_unchanged
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


def page(key: str, text: str) -> Passage:
    return Passage(f"{key}#0", key, 0, len(text), text)


GROUNDS = Grounds(
    place="here", corpus="one", passages={"rest#0": page("rest", FEVER).digest, "b#0": "0"}
)


@pytest.mark.parametrize(
    ("there", "unchanged"),
    [
        ([page("rest", FEVER)], True),
        ([page("rest", FEVER.upper()), page("more", "More.")], True),  # the same words
        ([page("rest", "Adults with fever get up.")], False),
        ([page("other", FEVER)], False),
        ([], False),
    ],
)
def test_an_answer_is_unchanged_if_every_passage_that_it_cites_is(
    there: list[Passage], unchanged: bool
) -> None:
    only = GROUNDS.model_copy(update={"passages": {"rest#0": GROUNDS.passages["rest#0"]}})
    found = {item.id: item for item in there}
    assert is_unchanged(only, found) is unchanged
    assert not is_unchanged(GROUNDS, found)
