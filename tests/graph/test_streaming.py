"""What a caller sees while a run goes on."""

from typing import Any

from langchain_core.language_models import FakeListChatModel

from graph import Context, build_graph
from retrievers.index import Index
from tests.graph.conftest import GOOD, Always, ScriptedCritic


def test_draft_tokens_stream_from_generate_and_the_answer_from_remember(
    small_index: Index,
) -> None:
    own = build_graph(
        index=small_index,
        chat=FakeListChatModel(responses=[f"{GOOD} [1]"]),
        critic=ScriptedCritic({GOOD: 0.9}),
        reranker=Always(),
    )
    events: Any = own.stream(
        {"question": "What is asthma?"}, context=Context(min_evidence=0.0), stream_mode="messages"
    )
    told: dict[str, list[str]] = {}
    for message, metadata in events:
        told.setdefault(metadata["langgraph_node"], []).append(message.text)
    assert len(told["generate"]) > 1
    assert "".join(told["generate"]) == f"{GOOD} [1]"
    assert told["remember"][0].startswith(GOOD)
