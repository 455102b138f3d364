"""What is counted of the calls of chat models."""

import hashlib
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableParallel

from anamnesis.models.chat import PROMPTS, estimated_tokens
from nodes.cost.calls import count_calls
from prompts import fingerprint, load
from tests.fakes import FailingChat

ANSWER: Any = {"metadata": {PROMPTS: ["answer", "options"]}}
CRITIC: Any = {"metadata": {PROMPTS: ["critic"]}}


def telling(*counts: tuple[int, int]) -> GenericFakeChatModel:
    """A model that reports its tokens: (of the prompt, of the reply)."""
    return GenericFakeChatModel(
        messages=iter(
            AIMessage(
                "word",
                usage_metadata={"input_tokens": a, "output_tokens": b, "total_tokens": a + b},
            )
            for a, b in counts
        )
    )


def test_a_fingerprint_is_that_of_the_files_texts() -> None:
    both = "\n".join([load("answer"), load("options")])
    assert fingerprint("answer", "options") == hashlib.sha256(both.encode()).hexdigest()
    assert fingerprint("answer") == hashlib.sha256(load("answer").encode()).hexdigest()


def test_calls_are_added_up_by_prompt_with_the_models_own_counts() -> None:
    model = telling((10, 2), (100, 1), (20, 3))
    with count_calls() as calls:
        model.invoke("a", ANSWER)
        model.invoke("b", CRITIC)
        model.invoke("c", ANSWER)
    answer, critic = calls.update()["calls"]
    assert answer == {
        "files": ["answer.md", "options.md"],
        "sha256": fingerprint("answer", "options"),
        "model": "",
        "calls": 2,
        "failed": 0,
        "cached": 0,
        "prompt_tokens": 30,
        "reply_tokens": 5,
        "estimated": False,
        "price": None,
        "currency": None,
    }
    assert (critic["files"], critic["prompt_tokens"]) == (["critic.md"], 100)


def test_the_tokens_of_a_model_that_reports_none_are_estimated() -> None:
    said, reply = "What is asthma?", "A disease of the airways."
    with count_calls() as calls:
        FakeListChatModel(responses=[reply]).invoke(said, CRITIC)
    [call] = calls.update()["calls"]
    assert call["estimated"]
    assert call["prompt_tokens"] == estimated_tokens(said) == 5
    assert call["reply_tokens"] == estimated_tokens(reply) == 8
    assert said not in str(call)


def test_a_call_that_fails_is_counted_as_such() -> None:
    with count_calls() as calls:
        with pytest.raises(OSError, match="unreachable"):
            FailingChat(OSError("unreachable")).invoke("a", CRITIC)
        FakeListChatModel(responses=["b"]).invoke("a", CRITIC)
    [call] = calls.update()["calls"]
    assert (call["calls"], call["failed"], call["reply_tokens"]) == (2, 1, 1)


def test_a_call_without_a_prompt_of_ours_and_one_in_another_thread_are_counted() -> None:
    model = telling((1, 1), (2, 2))
    with count_calls() as calls:
        RunnableParallel(a=model, b=model).invoke("a")
    [call] = calls.update()["calls"]
    assert (call["files"], call["calls"], call["prompt_tokens"]) == ([], 2, 3)


def test_only_what_is_called_within_the_block_is_counted() -> None:
    model = FakeListChatModel(responses=["a"])
    with count_calls() as calls:
        with count_calls() as inner:
            model.invoke("a")
        assert calls.update() == {}
    model.invoke("a")
    assert [call["calls"] for call in inner.update()["calls"]] == [1]
