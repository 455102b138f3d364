"""A run that another process continues, with the documents of a retriever."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langgraph.checkpoint.sqlite import SqliteSaver

from anamnesis import SettingError
from graph import Context, build_graph
from retrievers.index import Index
from tests.fakes import FakeCritic
from tests.graph.conftest import ASK, Always
from tests.graph.test_given_parts import ANYTHING

THREAD: Any = {"configurable": {"thread_id": "1"}}
TWO = {"question": "What is asthma? How is gout treated?"}

PAGES = {
    "asthma": "Asthma often begins in childhood.",
    "gout": "Gout is treated with colchicine.",
}


class Library(BaseRetriever):
    """Finds a page on each illness that is asked about, and notes the questions."""

    edition: str = "1"
    asked: list[str]

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        self.asked.append(query)
        return [
            Document(text, id=key + self.edition, metadata={"title": key, "shelf": 7})
            for key, text in PAGES.items()
            if key in query.lower()
        ]


@pytest.fixture
def saver(tmp_path: Path) -> Iterator[SqliteSaver]:
    connection = sqlite3.connect(tmp_path / "threads.sqlite", check_same_thread=False)
    yield SqliteSaver(connection)
    connection.close()


def process(saver: SqliteSaver, edition: str = "1", **parts: Any) -> tuple[Any, list[str]]:
    """The graph of another process, and what its retriever is asked."""
    library = Library(edition=edition, asked=[])
    graph = build_graph(retriever=library, reranker=Always(), checkpointer=saver, **parts)
    return graph, library.asked


@pytest.mark.parametrize("after", ["retrieve", "rerank", "generate", "verify"])
@pytest.mark.parametrize("with_index", [False, True])
def test_a_run_is_continued_with_the_documents_that_it_found(
    after: str, with_index: bool, saver: SqliteSaver, small_index: Index, no_home: object
) -> None:
    index: dict[str, Any] = {"index": small_index} if with_index else {}
    first, asked = process(saver, **index)
    first.invoke(ASK, THREAD, context=ANYTHING, interrupt_after=[after])
    assert len(asked) == 1
    second, again = process(saver, **index)
    answer = second.invoke(None, THREAD, context=ANYTHING)["answer"]
    assert again == asked
    whole = process(saver, **index)[0].invoke(ASK, context=ANYTHING, config=other_thread())
    assert answer["text"] == whole["answer"]["text"]
    [source] = [source for source in answer["sources"] if source["id"].endswith("asthma1")]
    assert source["metadata"]["shelf"] == 7


def other_thread() -> Any:
    return {"configurable": {"thread_id": "2"}}


def test_the_documents_of_all_questions_and_rounds_are_found_again(
    saver: SqliteSaver, no_home: object
) -> None:
    settings = {
        "verification.critic": "own", "loop.max_rounds": 2, "loop.min_supported_share": 1.0,
        "loop.stop_without_new_passages": False, "generator.max_statements": 2,
    }  # fmt: skip
    context: Context = ANYTHING.changed(settings)
    critic = FakeCritic(lambda *_: 0.0)
    first, asked = process(saver, critic=critic)
    first.invoke(TWO, THREAD, context=context, interrupt_after=["rerank"])
    assert len(asked) == 2
    second, again = process(saver, critic=critic)
    answer = second.invoke(None, THREAD, context=context)["answer"]
    assert again[:2] == asked
    assert {source["id"] for source in answer["sources"]} == {"asthma1", "gout1"}


def test_documents_that_are_not_found_again_are_an_error_that_says_what_to_do(
    saver: SqliteSaver, no_home: object
) -> None:
    first, _ = process(saver)
    first.invoke(ASK, THREAD, context=ANYTHING, interrupt_after=["retrieve"])
    second, _ = process(saver, edition="2")
    with pytest.raises(SettingError, match=r"no passage 'asthma1#.* Ask the question again"):
        second.invoke(None, THREAD, context=ANYTHING)
    answer = second.invoke(ASK, THREAD, context=ANYTHING)["answer"]
    assert answer["sources"][0]["id"] == "asthma2"


def test_an_uninterrupted_run_searches_once_in_every_turn(
    saver: SqliteSaver, no_home: object
) -> None:
    graph, asked = process(saver)
    for number in (1, 2):
        graph.invoke(ASK, THREAD, context=ANYTHING)
        assert len(asked) == number
    graph, asked = process(saver)
    graph.invoke({"question": "How is it treated?"}, THREAD, context=ANYTHING)
    assert len(asked) == 1
