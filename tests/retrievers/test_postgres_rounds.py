"""How often one question asks a PostgreSQL server."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from langchain_core.documents import Document

from anamnesis.corpus.record import Record
from anamnesis.models.langchain_embeddings import LangChainEmbedder
from graph import build_graph
from retrievers.filter import Filter, filtered
from retrievers.postgres import PostgresEngine
from retrievers.retriever_corpus import RetrieverCorpus
from tests.graph.conftest import Always
from tests.graph.test_given_parts import ANYTHING, Fixed, Hashed, asthma
from tests.retrievers.conftest import records
from tests.retrievers.engines import NOT_HERE, close_engines
from tests.retrievers.postgres_servers import new_database

pytestmark = NOT_HERE

HIDDEN = {"access": "staff"}
LIST = 'from "anamnesis"."vectors'
GENERATION = "select generation from anamnesis.state"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A database with an index, of which one record is for staff only."""
    where = new_database()
    engine = PostgresEngine(where, LangChainEmbedder(Hashed()))
    engine.writer().put([*records(4), Record("s", "", "Gout drug2.", metadata=HIDDEN)], "one")
    engine.close()
    yield where
    close_engines()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that read the index. A pool may set up connections at any time."""
    execute, sent = psycopg.Connection.execute, list[str]()

    def noting(self: Any, query: Any, *given: Any, **more: Any) -> Any:
        text = query if isinstance(query, str) else query.as_string(self)
        if "anamnesis" in text:
            sent.append(text)
        return execute(self, query, *given, **more)

    monkeypatch.setattr(psycopg.Connection, "execute", noting)
    return sent


def found(graph: Any, question: str) -> list[dict[str, Any]]:
    steps = graph.stream({"question": question}, context=ANYTHING, stream_mode="updates")
    [hits] = [step["retrieve"]["hits"] for step in steps if "retrieve" in step]
    return list(hits)


@pytest.mark.parametrize("limits", [None, Filter(), Filter(access=("staff",))])
@pytest.mark.parametrize("with_retriever", [False, True])
def test_a_question_asks_for_both_lists_at_once_and_for_the_generation_once(
    address: str, asked: list[str], limits: Filter | None, with_retriever: bool
) -> None:
    documents = [asthma(), Document("Gout drug3.", id="hidden", metadata={"access": "nurses"})]
    graph = build_graph(
        index=address,
        embeddings=Hashed(),
        reranker=Always(),
        retriever=Fixed(documents=documents) if with_retriever else None,
        filter=limits,
    )
    found(graph, "gout drug1")  # what is read once of each generation
    asked.clear()
    hits = {hit["record_id"]: {*hit["ranks"]} for hit in found(graph, "gout drug2")}
    assert hits["r2"] == {"sparse", "dense"}
    assert ("s" in hits) == (limits != Filter())
    assert ("retriever:a-1" in hits) == with_retriever
    assert ("retriever:hidden" in hits) == (with_retriever and limits is None)
    assert asked.count(GENERATION) == 1
    [both] = [query for query in asked if LIST in query]
    assert "postings" in both
    # Besides these: names of what the question is about (3), the texts, and their origin.
    assert len(asked) <= 7, asked


def test_a_retriever_with_a_filtered_index_is_filtered_by_the_engine(
    address: str, asked: list[str]
) -> None:
    engine = PostgresEngine(address, LangChainEmbedder(Hashed()))
    corpus = filtered(RetrieverCorpus(Fixed(documents=[]), engine.corpus()), Filter())
    asked.clear()
    assert "s#0" not in [item.id for item in corpus.sparse("drug2", 5)]
    assert "s#0" not in corpus.find(["s#0", "r2#0"])
    assert len(asked) == 2
    assert all("access is null" in query for query in asked)
    engine.close()
