"""What a caller sees while a run goes on."""

from collections.abc import Callable
from typing import Any

from langchain_core.language_models import FakeListChatModel

from graph import Context, build_graph
from retrievers.index import Index
from tests.graph.conftest import (
    ASK,
    CHECKED,
    GOOD,
    WRONG,
    Always,
    Queue,
    ScriptedCritic,
    built,
)

Chat = Callable[..., Queue]


def streamed(index: Index, **settings: Any) -> dict[str, list[str]]:
    graph = build_graph(
        index=index,
        chat=FakeListChatModel(responses=[f"{GOOD} [1]"]),
        critic=ScriptedCritic({GOOD: 0.9}),
        reranker=Always(),
    )
    context = Context.model_validate({"retrieval.min_relevance": 0.0, **settings})
    written: dict[str, list[str]] = {}
    events: Any = graph.stream(
        {"question": "What is asthma?"}, context=context, stream_mode="messages"
    )
    for message, metadata in events:
        written.setdefault(metadata["langgraph_node"], []).append(message.text)
    return written


def test_only_the_checked_answer_is_streamed(small_index: Index) -> None:
    written = streamed(small_index)
    assert "generate" not in written
    assert written["remember"][0].startswith(GOOD)


def test_the_draft_is_streamed_where_it_is_asked_for(small_index: Index) -> None:
    written = streamed(small_index, **{"generator.stream_draft": True})
    assert len(written["generate"]) > 1
    assert "".join(written["generate"]) == f"{GOOD} [1]"


def test_an_unchecked_draft_is_not_streamed(small_index: Index, queue: Chat) -> None:
    graph = built(small_index, queue(f"{WRONG} {GOOD}"), {GOOD: 0.9})
    context = CHECKED.changed({"loop.max_rounds": 1})
    said = [
        message.text for message, _ in graph.stream(ASK, context=context, stream_mode="messages")
    ]
    assert GOOD in " ".join(said)
    assert WRONG not in " ".join(said)


def test_streamed_words_of_a_draft_are_tagged_as_one(small_index: Index) -> None:
    graph = build_graph(
        index=small_index,
        chat=FakeListChatModel(responses=[f"{GOOD} [1]"]),
        critic=ScriptedCritic({GOOD: 0.9}),
        reranker=Always(),
    )
    context = CHECKED.changed({"generator.stream_draft": True})
    events: Any = graph.stream(ASK, context=context, stream_mode="messages")
    tags = {metadata["langgraph_node"]: metadata.get("tags") or [] for _, metadata in events}
    assert "draft" in tags["generate"]
    assert "draft" not in tags["remember"]


def test_every_step_is_reported_as_it_begins(small_index: Index, queue: Chat) -> None:
    graph = built(small_index, queue(WRONG, GOOD), {GOOD: 0.9})
    events: Any = list(graph.stream(ASK, context=CHECKED, stream_mode="custom"))
    assert {event["type"] for event in events} == {"progress"}
    steps = [(event["step"], event["round"]) for event in events]
    assert steps[0] == ("screen", 1)
    assert steps[3:] == [
        ("rerank", 1),
        ("generate", 1),
        ("verify", 1),
        ("rewrite", 1),
        ("retrieve", 2),
        ("rerank", 2),
        ("generate", 2),
        ("verify", 2),
        ("remember", 2),
    ]
