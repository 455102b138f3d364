"""The next query: the earlier one with what was not confirmed, of each open question."""

from collections.abc import Callable
from typing import Any

import pytest

from anamnesis import SettingError
from nodes.parts import Parts
from nodes.rewrite import rewrite
from nodes.state import State
from nodes.writing.round_support import queries_of_next_round
from tests.graph.conftest import WRONG, Queue
from tests.nodes.steps import QUESTION, judged, round_of, run, state_of

GOUT = {"question": "What is gout?", "query": "What is gout?"}
MEASLES = {"question": "What is measles?", "query": "What is measles?"}


def after_a_round(*rounds: Any, **more: Any) -> State:
    """The state as ``verify`` leaves it, with the next queries."""
    state = state_of(rounds=list(rounds), **more)
    return {"next_queries": queries_of_next_round(state, 0.7), **state}


def test_what_was_not_confirmed_is_added_to_the_query() -> None:
    state = after_a_round(round_of(judged(WRONG, "unsupported"), score=0.0))
    queries = run(rewrite, state, Parts())["queries"]
    assert queries == [QUESTION, f"{QUESTION} {WRONG}"]


def test_the_query_that_was_computed_before_is_used() -> None:
    state = after_a_round(
        round_of(judged(WRONG, "unsupported"), score=0.0),
        next_queries={"0": {"query": "asthma and honey", "claims": [WRONG]}},
    )
    assert run(rewrite, state, Parts())["queries"][-1] == "asthma and honey"


def test_a_state_without_the_next_query_is_refused() -> None:
    state = state_of(rounds=[round_of(judged(WRONG, "unsupported"), score=0.0)])
    with pytest.raises(SettingError, match='add "next_queries"'):
        run(rewrite, state, Parts())


def test_a_chat_model_may_word_it(queue: Callable[..., Queue]) -> None:
    state = after_a_round(round_of(judged(WRONG, "unsupported"), score=0.0))
    chat = queue("asthma cured by honey")
    update = run(rewrite, state, Parts(given_chat=chat), loop__rewrite="model")
    assert update["queries"][-1] == "asthma cured by honey"
    assert WRONG in chat.seen[0][-1].content
    # One that repeats an earlier query is not used.
    update = run(rewrite, state, Parts(given_chat=queue(QUESTION)), loop__rewrite="model")
    assert update["queries"][-1] == f"{QUESTION} {WRONG}"


def test_an_answered_question_is_closed_and_adds_nothing_to_another() -> None:
    state = after_a_round(
        round_of(
            judged("Gout hurts.", part=1),
            judged("Measles are caused by cats.", "unsupported", part=2),
            score=0.5,
        ),
        sub_questions=[GOUT, MEASLES],
    )
    update = run(rewrite, state, Parts())
    first, second = update["sub_questions"]
    assert first["closed"]
    assert second["later_queries"] == ["What is measles? Measles are caused by cats."]
    assert update["queries"][-1] == second["later_queries"][0]
