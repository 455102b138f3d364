"""What a thread leaves behind: plain data, documents by id, little of it, and all of it there."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from graph import Context, build_graph
from retrievers.index import Index
from tests.graph.conftest import GOOD, Always, ScriptedCritic

CONTEXT = Context(retrieval={"min_relevance": 0.0})
QUESTION = {"question": "What is asthma?"}
THREAD: Any = {"configurable": {"thread_id": "1"}}


def built(index: Index, saver: Any, queue: Any, turns: int = 1) -> Any:
    graph = build_graph(
        index=index,
        chat=queue(*[GOOD] * turns),
        critic=ScriptedCritic({GOOD: 0.9}),
        reranker=Always(),
    )
    return graph.copy({"checkpointer": saver})


@pytest.fixture
def database(tmp_path: Path) -> Iterator[tuple[SqliteSaver, Path]]:
    path = tmp_path / "threads.sqlite"
    connection = sqlite3.connect(path, check_same_thread=False)
    # Strict: what is not plain data or one of LangGraph's own types cannot be read back.
    yield SqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None)), path
    connection.close()


def test_the_state_passes_the_strict_serialiser(
    small_index: Index, queue: Any, database: tuple[SqliteSaver, Path]
) -> None:
    graph = built(small_index, database[0], queue)
    answer = graph.invoke(QUESTION, THREAD, context=CONTEXT)["answer"]
    read = graph.get_state(THREAD).values
    assert read["answer"] == answer
    assert [message.type for message in read["messages"]] == ["human", "ai"]


def test_all_but_the_messages_is_json(small_index: Index, queue: Any) -> None:
    graph = built(small_index, InMemorySaver(), queue)
    graph.invoke(QUESTION, THREAD, context=CONTEXT)
    values = dict(graph.get_state(THREAD).values)
    values.pop("messages")
    assert json.loads(json.dumps(values)) == values


def test_documents_are_kept_by_id_only(small_index: Index, queue: Any) -> None:
    graph = built(small_index, InMemorySaver(), queue)
    graph.invoke(QUESTION, THREAD, context=CONTEXT)
    values = graph.get_state(THREAD).values
    for hit in [*values["hits"], *values["selected"]]:
        assert not {"text", "title", "question"} & set(hit)


def test_sixty_turns_of_a_thread_stay_small(
    small_index: Index, queue: Any, database: tuple[SqliteSaver, Path]
) -> None:
    saver, path = database
    graph = built(small_index, saver, queue, turns=60)
    for _ in range(60):
        graph.invoke(QUESTION, THREAD, context=CONTEXT, durability="exit")
    saver.conn.execute("pragma wal_checkpoint(truncate)")
    assert path.stat().st_size / 60 <= 20_000


def test_a_thread_goes_on_from_what_is_on_disk(
    small_index: Index, queue: Any, database: tuple[SqliteSaver, Path]
) -> None:
    saver, _ = database
    built(small_index, saver, queue).invoke(QUESTION, THREAD, context=CONTEXT)
    again = built(small_index, saver, queue)
    answer = again.invoke({"question": "How is it treated?"}, THREAD, context=CONTEXT)["answer"]
    assert answer["query"] == "How is asthma treated?"


def test_a_run_can_be_repeated_from_any_step(small_index: Index, queue: Any) -> None:
    graph = built(small_index, InMemorySaver(), queue, turns=2)
    first = graph.invoke(QUESTION, THREAD, context=CONTEXT)["answer"]
    before = next(state for state in graph.get_state_history(THREAD) if state.next == ("generate",))
    again = graph.invoke(None, before.config, context=CONTEXT)["answer"]
    assert again["statements"] == first["statements"]
