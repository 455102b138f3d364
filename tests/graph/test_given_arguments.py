"""What the parts given to a graph receive, and what is refused together with them."""

from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from anamnesis import SettingError
from anamnesis.models.langchain_reranker import as_reranker
from graph import build_graph
from retrievers.index import Index
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
            seen.update({own.metadata["record_id"]: dict(own.metadata) for own in documents})
            for own in documents:
                own.metadata.get("tags", []).append("changed")
            return super().compress_documents(documents, query)

    tags, store = ["lungs"], InMemoryVectorStore(Hashed())
    store.add_documents([asthma()])
    store.add_documents(
        [Document("Asthma is common.", id="b-1", metadata={"tags": tags, "score": 7})]
    )
    own = as_reranker(Seeing(word="sthma"), Always())
    build_graph(retriever=store, reranker=own).invoke(ASK, context=ANYTHING)
    assert seen["a-1"] | {"title": "On asthma", "ward": 7, "url": "https://a.test"} == seen["a-1"]
    assert "score" not in seen["b-1"]
    assert tags == ["lungs"]
