"""What the parts given to a graph receive, and what is refused together with them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from anamnesis import SettingError
from anamnesis.corpus.passage import Passage
from anamnesis.models.langchain_reranker import as_reranker
from graph import build_graph
from retrievers.index import Index
from retrievers.provenance import Provenance, provenance_of
from tests.fakes import HashEmbedder
from tests.graph.conftest import ASK, Always
from tests.graph.test_given_parts import ANYTHING, Hashed, Picking, asthma


def test_embeddings_with_an_opened_index_are_refused(small_index: Index) -> None:
    for more in ({}, {"retriever": InMemoryVectorStore(Hashed())}):
        with pytest.raises(SettingError, match="embeddings: the index is opened already"):
            build_graph(index=small_index, embeddings=Hashed(), **more)


def test_the_settings_of_a_graph_may_be_a_dict(small_index: Index) -> None:
    given = {"retrieval.min_relevance": 0.0, "generator": {"max_statements": 1}}
    graph = build_graph(index=small_index, reranker=Always(), context=given)
    assert len(graph.invoke(ASK)["answer"]["statements"]) == 1


def test_a_compressor_sees_the_metadata_of_the_documents(no_home: object) -> None:
    seen: dict[str, dict[str, Any]] = {}

    class Seeing(Picking):
        def compress_documents(
            self, documents: Sequence[Document], query: str, callbacks: Any = None
        ) -> list[Document]:
            seen.update(
                {document.metadata["record_id"]: dict(document.metadata) for document in documents}
            )
            for document in documents:
                document.metadata.get("tags", []).append("changed")
            return super().compress_documents(documents, query)

    tags, store = ["lungs"], InMemoryVectorStore(Hashed())
    store.add_documents([asthma()])
    store.add_documents(
        [Document("Asthma is common.", id="b-1", metadata={"tags": tags, "score": 7})]
    )
    reranker = as_reranker(Seeing(word="sthma"), Always())
    build_graph(retriever=store, reranker=reranker).invoke(ASK, context=ANYTHING)
    assert seen["a-1"] | {"title": "On asthma", "ward": 7, "url": "https://a.test"} == seen["a-1"]
    assert "score" not in seen["b-1"]
    assert tags == ["lungs"]


class Chapters(Index):
    """An index whose records are chapters of one book: they have its id, and their number."""

    def find(self, ids: Sequence[str]) -> dict[str, Passage]:
        return {
            key: replace(item, record_id="book", metadata={"chapter": number})
            for number, (key, item) in enumerate(sorted(super().find(ids).items()))
        }

    def provenance(self, record_ids: Sequence[str]) -> dict[str, Provenance]:
        return {"book": provenance_of(("book.pdf", "", "", "Dr One", ""))} if record_ids else {}


def test_sources_that_are_apart_by_their_metadata_have_the_origin_of_their_record(
    small_index: Index, no_home: object
) -> None:
    index = Chapters(small_index.folder, small_index.manifest, HashEmbedder())
    answer = build_graph(index=index, reranker=Always()).invoke(ASK, context=ANYTHING)["answer"]
    assert len({item["id"] for item in answer["sources"]}) > 1
    assert {item["provenance"]["approved_by"] for item in answer["sources"]} == {"Dr One"}
