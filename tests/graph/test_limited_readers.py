"""What a reader may not use is neither quoted nor counted, in a whole run."""

from pathlib import Path
from typing import Any

import pytest

from anamnesis import SettingError
from anamnesis.corpus.record import Record
from anamnesis.memory.store import Memories
from graph import Context, build_graph
from nodes.context import owner
from retrievers.build import build
from retrievers.filter import Filter
from retrievers.index import Index
from retrievers.langchain import HybridRetriever
from tests.fakes import HashEmbedder
from tests.graph.conftest import Always, ScriptedCritic

OPEN = "Adults with fever take 400 mg of ibuprofen."
SECRET = "Adults with fever take 200 mg of ibuprofen."
ASKED = {"question": "How much ibuprofen do adults with fever take?"}


@pytest.fixture
def index(tmp_path: Path) -> Index:
    records = [
        Record("open", "Ibuprofen", OPEN, focus="Ibuprofen"),
        Record("secret", "Ibuprofen", SECRET, focus="Ibuprofen", metadata={"access": "staff"}),
    ]
    build(records, tmp_path, HashEmbedder(), "one")
    return Index.open(tmp_path, HashEmbedder())


def asked(index: Index, limits: Any, user: str | None = None) -> Any:
    graph = build_graph(index=index, critic=ScriptedCritic({}), reranker=Always(), filter=limits)
    context = Context(user=user, retrieval={"min_relevance": 0.0}, memory={"recall": False})
    return graph.invoke(ASKED, context=context)["answer"]


def recalled(graph: Any, context: Context) -> set[str]:
    """The kinds of the memories that a run recalls."""
    updates = graph.stream(ASKED, context=context, stream_mode="updates")
    return {own["kind"] for item in updates for own in item.get("recall", {}).get("recalled", [])}


def test_without_a_filter_both_are_read_and_disagree(index: Index) -> None:
    answer = asked(index, None)
    assert {own["id"] for own in answer["sources"]} == {"open", "secret"}
    assert any(own["conflict"] for own in answer["statements"])


def test_what_is_not_to_be_read_is_neither_quoted_nor_held_against_a_statement(
    index: Index,
) -> None:
    answer = asked(index, Filter())
    assert [(own["text"], own["conflict"]) for own in answer["statements"]] == [(OPEN, None)]
    assert [own["id"] for own in answer["sources"]] == ["open"]
    assert "200 mg" not in str(answer)


def test_the_filter_also_limits_our_own_retriever_given_as_a_part(index: Index) -> None:
    graph = build_graph(
        retriever=HybridRetriever(index=index, k=5),
        critic=ScriptedCritic({}),
        reranker=Always(),
        filter=Filter(),
    )
    context = Context(retrieval={"min_relevance": 0.0})
    answer = graph.invoke(ASKED, context=context)["answer"]
    assert [own["text"] for own in answer["statements"]] == [OPEN]
    assert "200 mg" not in str(answer)


def test_the_filter_can_follow_the_user(index: Index) -> None:
    def limits(runtime: Any) -> Filter:
        return Filter(access=("staff",) if owner(runtime) == "ann" else ())

    assert len(asked(index, limits, "ann")["sources"]) == 2
    assert len(asked(index, limits, "eve")["sources"]) == 1


def test_a_function_that_gives_no_filter_stops_the_run(index: Index) -> None:
    with pytest.raises(SettingError, match="filter: the function returned NoneType"):
        asked(index, lambda runtime: None)
    with pytest.raises(SettingError, match="filter: str has no __call__"):
        build_graph(filter="staff")  # type: ignore[arg-type]


def test_what_was_said_with_more_rights_is_not_recalled(index: Index, tmp_path: Path) -> None:
    groups: dict[str, tuple[str, ...]] = {"ann": ("staff",)}
    graph = build_graph(
        index=index,
        critic=ScriptedCritic({}),
        reranker=Always(),
        memories=Memories(tmp_path / "memories", HashEmbedder()),
        filter=lambda runtime: Filter(access=groups.get(str(owner(runtime)), ())),
    )
    context = Context(
        user="ann", retrieval={"min_relevance": 0.0}, memory={"consent": True, "threshold": -1}
    )
    assert SECRET in graph.invoke(ASKED, context=context)["answer"]["text"]
    groups.clear()
    assert "exchange" not in recalled(graph, context)


@pytest.mark.parametrize("grouped", [False, True])
def test_who_may_read_everything_is_reminded_of_exchanges(tmp_path: Path, grouped: bool) -> None:
    metadata = {"access": "staff"} if grouped else {}
    folder = tmp_path / "index"
    build([Record("open", "Ibuprofen", OPEN, metadata=metadata)], folder, HashEmbedder(), "one")
    graph = build_graph(
        index=Index.open(folder, HashEmbedder()),
        critic=ScriptedCritic({}),
        reranker=Always(),
        memories=Memories(tmp_path / "memories", HashEmbedder()),
        # As the server's graph has it: with tokens, and without.
        filter=lambda runtime: Filter(access=None) if grouped else Filter(),
    )
    context = Context(
        user="ann", retrieval={"min_relevance": 0.0}, memory={"consent": True, "threshold": -1}
    )
    graph.invoke(ASKED, context=context)
    assert "exchange" in recalled(graph, context)


def test_a_group_that_is_no_text_is_a_group_all_the_same(tmp_path: Path) -> None:
    records = [Record("zero", "Ibuprofen", SECRET, metadata={"access": 0})]
    build(records, tmp_path, HashEmbedder(), "one")
    assert asked(Index.open(tmp_path, HashEmbedder()), Filter())["sources"] == []
