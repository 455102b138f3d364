"""The safe answer: first aid, the user's words, what was supported, a quotation, or no claim."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from nodes.fallback import fallback
from nodes.parts import Parts
from nodes.state import State
from retrievers.index import Index
from tests.graph.conftest import ASTHMA, GOOD, WRONG, Always, Queue, ScriptedCritic
from tests.nodes.steps import drafted, judged, round_of, run, selected, state_of


@pytest.fixture
def parts(small_index: Index) -> Parts:
    return Parts(
        given_index=small_index,
        given_reranker=Always(),
        given_critic=ScriptedCritic({GOOD: 0.95}),
    )


def answer(state: State, parts: Parts, **settings: Any) -> Any:
    return run(fallback, state, parts, **settings)["answer"]


def test_the_supported_statements_of_the_best_round_are_the_answer(parts: Parts) -> None:
    state = state_of(
        reason="some_unsupported",
        selected=[selected("asthma")],
        draft=drafted(WRONG),
        rounds=[
            round_of(judged(GOOD, probability=0.95), judged(WRONG, "unsupported"), score=0.5),
            round_of(judged(WRONG, "unsupported"), score=0.0),
        ],
    )
    found = answer(state, parts)
    assert found["outcome"] == "partial"
    assert [item["text"] for item in found["statements"]] == [GOOD]
    assert WRONG in [item["text"] for item in found["withheld"]]


def test_where_nothing_that_a_model_wrote_was_supported_the_documents_are_quoted(
    parts: Parts, queue: Callable[..., Queue]
) -> None:
    state = state_of(
        reason="unsupported",
        selected=[selected("asthma")],
        draft=drafted(WRONG),
        rounds=[round_of(judged(WRONG, "unsupported", probability=0.1), score=0.0)],
    )
    written = answer(state, replace(parts, given_chat=queue()))
    texts = [item["text"] for item in written["statements"]]
    assert texts
    assert all(text in ASTHMA for text in texts)
    assert written["quoted_instead"]


def test_without_evidence_no_claim_is_made(parts: Parts) -> None:
    found = answer(state_of(reason="no_evidence"), parts)
    assert (found["outcome"], found["statements"], found["sources"]) == ("abstained", [], [])


def test_the_users_own_words_answer_a_question_about_their_record(parts: Parts) -> None:
    words = "I am allergic to penicillin."
    quote = {
        "id": "m", "text": words, "created": "2024-05-01T00:00:00+00:00", "words": words,
        "notes": [],
    }  # fmt: skip
    found = answer(state_of(reason="remembered", user_quotes=[quote]), parts)
    assert found["outcome"] == "answered"
    assert words.rstrip(".") in found["statements"][0]["text"]


def test_an_emergency_is_answered_at_once(parts: Parts) -> None:
    urgency = {"level": "emergency", "kind": "self-harm", "crisis": True, "why": "words"}
    found = answer(state_of(reason="emergency", urgency=urgency), parts)
    assert (found["outcome"], found["urgency"]) == ("urgent", "emergency")
    assert not found["statements"]
