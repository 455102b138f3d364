"""The verdicts on a draft, and what follows from them."""

from typing import Any

import pytest

from anamnesis import ModelError, UnansweredError
from nodes.parts import Parts
from nodes.state import State
from nodes.verify import verify
from retrievers.index import Index
from tests.fakes import FakeCritic
from tests.graph.conftest import GOOD, WRONG, Always, ScriptedCritic
from tests.nodes.steps import drafted, run, selected, state_of


def state(*texts: str) -> State:
    return state_of(selected=[selected("asthma")], draft=drafted(*texts))


def checked(index: Index, texts: list[str], critic: FakeCritic, **settings: Any) -> Any:
    parts = Parts(given_index=index, given_reranker=Always(), given_critic=critic)
    return run(verify, state(*texts), parts, **settings)


def test_a_supported_draft_is_the_answer(small_index: Index) -> None:
    update = checked(small_index, [GOOD], ScriptedCritic({GOOD: 0.95}))
    assert (update["reason"], update["route"]["to"]) == ("supported", "remember")
    [said] = update["answer"]["statements"]
    assert (said["text"], said["verdict"], said["probability"]) == (GOOD, "supported", 0.95)
    assert update["rounds"][0]["score"] == 1.0


def test_an_unsupported_draft_is_searched_for_again(small_index: Index) -> None:
    update = checked(small_index, [WRONG], ScriptedCritic({}))
    assert (update["reason"], update["route"]["to"]) == ("unsupported", "rewrite")
    assert WRONG in update["next_queries"]["0"]["query"]
    assert "answer" not in update


def test_only_the_supported_statements_are_shown(small_index: Index) -> None:
    critic = ScriptedCritic({GOOD: 0.95}, against=[WRONG])
    update = checked(small_index, [GOOD, WRONG], critic, loop__min_supported_share=0.5)
    assert update["reason"] == "some_unsupported"
    assert [item["text"] for item in update["answer"]["statements"]] == [GOOD]
    assert [item["text"] for item in update["answer"]["withheld"]] == [WRONG]


def test_no_round_is_left_after_the_last(small_index: Index) -> None:
    update = checked(small_index, [WRONG], ScriptedCritic({}), loop__max_rounds=1)
    assert (update["reason"], update["route"]["to"]) == ("unsupported", "fallback")


def test_a_critic_that_does_not_answer_leaves_statements_unchecked(small_index: Index) -> None:
    def fails(error: ModelError) -> FakeCritic:
        def rule(*_: object) -> float:
            raise error

        return FakeCritic(rule)

    update = checked(small_index, [GOOD], fails(UnansweredError("no reply")))
    assert (update["reason"], update["route"]["to"]) == ("unchecked", "fallback")
    assert update["rounds"][0]["score"] == 0.0
    with pytest.raises(ModelError, match="broken"):
        checked(small_index, [GOOD], fails(ModelError("broken")))
