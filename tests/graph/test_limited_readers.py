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
    answer = graph.invoke(ASKED, context=context)["answer"]
    assert "200 mg" not in str(answer["memories"])
    assert "exchange" not in {own["kind"] for own in answer["memories"]}


def test_a_group_that_is_no_text_is_a_group_all_the_same(tmp_path: Path) -> None:
    records = [Record("zero", "Ibuprofen", SECRET, metadata={"access": 0})]
    build(records, tmp_path, HashEmbedder(), "one")
    assert asked(Index.open(tmp_path, HashEmbedder()), Filter())["sources"] == []
