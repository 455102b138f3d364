"""The scores of another program's list."""

from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from anamnesis import RunError
from retrievers.retriever_corpus import RetrieverCorpus
from retrievers.retriever_scores import with_scores
from retrievers.search import search
from tests.graph.test_given_parts import Fixed, Hashed
from tests.retrievers.conftest import records


@pytest.mark.parametrize("mark", [1e308, -1e308, 10**400, float("inf"), "x"])
def test_a_mark_in_place_of_a_score_makes_the_positions_count(mark: float) -> None:
    documents = [
        Document(record.text, id=record.id, metadata={"score": score})
        for record, score in zip(records(2), (0.5, mark), strict=True)
    ]
    scored = with_scores(
        [(document, document.metadata["score"]) for document in documents], "a store"
    )
    assert [score for _, score in scored] == [1, 0.5]
    hits = search(RetrieverCorpus(Fixed(documents=documents)), "gout", fusion="standardised")
    assert [hit["record_id"] for hit in hits] == ["r0", "r1"]


@pytest.mark.parametrize("wrong", [None, [Document("x")], [(Document("x"), 1.0, 2)], ["x"]])
def test_a_store_that_gives_no_pairs_is_named(wrong: Any) -> None:
    class Wrong(InMemoryVectorStore):
        def similarity_search_with_score(self, query: str, k: int = 4, **more: Any) -> Any:
            return wrong

    with pytest.raises(RunError, match=r"similarity_search_with_score of Wrong gave .*not a pair"):
        search(RetrieverCorpus(Wrong(Hashed())), "gout")
