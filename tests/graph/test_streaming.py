"""What a caller sees while a run goes on."""

from typing import Any

from langchain_core.language_models import FakeListChatModel

from graph import Context, build_graph
from retrievers.index import Index
from tests.graph.conftest import GOOD, Always, ScriptedCritic


def streamed(index: Index, **settings: Any) -> dict[str, list[str]]:
    own = build_graph(
        index=index,
        chat=FakeListChatModel(responses=[f"{GOOD} [1]"]),
        critic=ScriptedCritic({GOOD: 0.9}),
        reranker=Always(),
    )
    context = Context(min_evidence=0.0, **settings)
    told: dict[str, list[str]] = {}
    events: Any = own.stream(
        {"question": "What is asthma?"}, context=context, stream_mode="messages"
    )
    for message, metadata in events:
        told.setdefault(metadata["langgraph_node"], []).append(message.text)
    return told


def test_only_the_checked_answer_is_streamed(small_index: Index) -> None:
    told = streamed(small_index)
    assert "generate" not in told
    assert told["remember"][0].startswith(GOOD)


def test_the_draft_is_streamed_where_it_is_asked_for(small_index: Index) -> None:
    told = streamed(small_index, stream_draft=True)
    assert len(told["generate"]) > 1
    assert "".join(told["generate"]) == f"{GOOD} [1]"
