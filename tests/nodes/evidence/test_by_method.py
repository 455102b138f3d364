"""What a method of retrieval finds: a single list, the lists of the settings, or re-ranked ones."""

from pathlib import Path

import pytest

from anamnesis.corpus.record import Record
from nodes.evidence.by_method import found_by, reranked, settings_of
from nodes.settings.context import Context
from retrievers.build import build
from retrievers.index import Index
from retrievers.search import search
from tests.fakes import HashEmbedder, ScriptedReader

QUESTION = "What are the signs of gout?"
CONTEXT = Context.model_validate({"retrieval.weights": {"dense": 2.0}})


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder: Path = tmp_path_factory.mktemp("index")
    topics = ("gout", "mumps", "asthma")
    records = [Record(topic, topic, f"The signs of {topic} are known.") for topic in topics]
    build(records, folder, HashEmbedder(), "test")
    return Index.open(folder, HashEmbedder())


@pytest.mark.parametrize("method", ["sparse", "dense"])
def test_a_list_is_searched_alone(index: Index, method: str) -> None:
    found = found_by(method, index, QUESTION, 2, CONTEXT)
    assert found == search(index, QUESTION, (method,), k=2, reduce_query=True, query_adapter=True)
    assert all(set(item["ranks"]) == {method} for item in found)


@pytest.mark.parametrize("method", ["hybrid", "reranked"])
def test_the_lists_of_the_settings_are_fused(index: Index, method: str) -> None:
    found = found_by(method, index, QUESTION, 3, CONTEXT)
    assert set(found[0]["ranks"]) == {"sparse", "dense"}
    assert settings_of(method, CONTEXT) == CONTEXT


def test_the_library_computes_the_sparse_list() -> None:
    retrieval = settings_of("rank-bm25", CONTEXT).retrieval
    assert (retrieval.methods, retrieval.bm25, retrieval.weights) == (
        ("sparse",),
        "rank-bm25",
        None,
    )


def test_the_reader_alone_decides_the_order_if_the_settings_say_so(index: Index) -> None:
    hits = found_by("hybrid", index, QUESTION, 3, CONTEXT)
    reader = ScriptedReader(lambda _, pages: [n / 10 for n in range(len(pages))])
    alone = CONTEXT.changed({"retrieval.rerank_by": "reranker"})
    found = reranked(hits, index, QUESTION, alone, reader)
    assert [item["id"] for item in found] == [hit["id"] for hit in hits][::-1]
    assert [item["relevance"] for item in found] == [0.2, 0.1, 0.0]
