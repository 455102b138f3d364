"""A retriever of LangChain whose list is fused with those of an index."""

import gc
import weakref
from copy import copy
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from anamnesis.corpus.record import Record
from anamnesis.models.langchain_embeddings import LangChainEmbedder
from graph import build_graph
from retrievers.build import build
from retrievers.file_writer import FileWriter
from retrievers.filter import Filter
from retrievers.index import Index
from retrievers.provenance import Approval
from retrievers.retriever_corpus import RetrieverCorpus
from tests.fakes import HashEmbedder
from tests.graph.conftest import GOUT, Always
from tests.graph.test_given_parts import ANYTHING, ASK, Fixed, Hashed, asthma
from tests.retrievers.conftest import records


def test_a_retriever_with_an_index_is_one_more_list_and_equal_texts_count_once(
    small_index: Index,
) -> None:
    graph = build_graph(
        retriever=Fixed(documents=[Document("Asthma often begins in childhood."), asthma()]),
        index=small_index,
        reranker=Always(),
    )
    steps = graph.stream(ASK, context=ANYTHING, stream_mode="updates")
    [hits] = [step["retrieve"]["hits"] for step in steps if "retrieve" in step]
    by_id = {hit["record_id"]: hit for hit in hits}
    assert by_id["asthma"]["ranks"] == {"sparse": 1, "dense": 1, "retriever": 2}
    assert not any(key.endswith("a-1") for key in by_id)
    assert [set(hit["ranks"]) for hit in hits].count({"retriever"}) == 1


def test_a_retriever_with_an_empty_index_is_used_with_it(tmp_path: Any) -> None:
    build([], tmp_path, HashEmbedder(), "none")
    empty = Index.open(tmp_path, embedder := HashEmbedder())
    both = RetrieverCorpus(Fixed(documents=[asthma()]), empty)
    assert (both.embedder, both.manifest) == (embedder, empty.manifest)


@pytest.mark.parametrize("as_text", [True, False])
def test_a_retriever_with_an_index_that_is_named_sees_later_updates(
    tmp_path: Any, as_text: bool
) -> None:
    embedder = LangChainEmbedder(Hashed())
    build(records(4), tmp_path, embedder, "one")
    graph = build_graph(
        retriever=Fixed(documents=[asthma()]), embeddings=Hashed(), reranker=Always(),
        index=str(tmp_path) if as_text else tmp_path,
    )  # fmt: skip

    def found() -> dict[str, set[str]]:
        steps = graph.stream({"question": "gout drug1"}, context=ANYTHING, stream_mode="updates")
        [hits] = [step["retrieve"]["hits"] for step in steps if "retrieve" in step]
        return {hit["record_id"]: set(hit["ranks"]) for hit in hits}

    assert found()["r1"] >= {"dense"}
    assert found()["retriever:a-1"] == {"retriever"}
    assert "r6" not in found()
    build(records(8), tmp_path, embedder, "one")
    assert "r6" in found()
    assert found()["retriever:a-1"] == {"retriever"}


@pytest.mark.parametrize("as_store", [True, False])
@pytest.mark.parametrize("limits", [None, Filter(sources=("Blog",)), Filter(access=("staff",))])
def test_a_document_with_the_id_of_a_record_is_another_source(
    tmp_path: Any, as_store: bool, limits: Filter | None
) -> None:
    record = Record("g", "Gout (approved)", GOUT, source="Ministry", url="https://gov.test")
    approval = Approval("dr. who", "2026-01-01T00:00:00Z")
    embedder = LangChainEmbedder(Hashed())
    FileWriter(tmp_path, lambda: embedder, Index).put([record], "one", approval=approval)
    blog = Document("Gout goes away with cherries.", id="g", metadata={"source": "Blog"})
    given: Any = Fixed(documents=[blog])
    if as_store:
        given = InMemoryVectorStore(Hashed())
        given.add_documents([blog])
    graph = build_graph(
        index=tmp_path, embeddings=Hashed(), retriever=given, reranker=Always(), filter=limits,
    )  # fmt: skip
    answer = graph.invoke({"question": "gout"}, context=ANYTHING)["answer"]
    sources = {source["id"]: source for source in answer["sources"]}
    theirs = sources.pop("retriever:g")
    assert (theirs["source"], theirs["text"], theirs["url"]) == ("Blog", blog.page_content, "")
    assert theirs["provenance"] is None
    if limits == Filter(sources=("Blog",)):
        assert sources == {}
    else:
        assert sources["g"]["text"] == GOUT
        assert sources["g"]["provenance"]["approved_by"] == "dr. who"
    both = RetrieverCorpus(given, Index.open(tmp_path, embedder))
    assert list(both.provenance(["g", "retriever:g"])) == ["g"]
    none = both.limited(Filter(sources=("Blog",)))
    assert none.provenance(["g", "retriever:g"]) == {}


def test_a_corpus_that_was_replaced_is_let_go(small_index: Index) -> None:
    given = RetrieverCorpus(Fixed(documents=[asthma()]))
    first = copy(small_index)
    gone = weakref.ref(first)
    assert given.with_index(first) is given.with_index(first)
    del first
    for _ in range(2):
        given.with_index(copy(small_index))
    gc.collect()
    assert gone() is None
