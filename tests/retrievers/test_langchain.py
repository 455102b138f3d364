from collections.abc import Callable

import pytest
from pydantic import ValidationError

from anamnesis.errors import SettingError
from retrievers.index import Index
from retrievers.langchain import HybridRetriever
from retrievers.search import search
from tests.retrievers.conftest import Put, records


@pytest.fixture
def index(put: Put, opened: Callable[[], Index]) -> Index:
    put(records(50))
    return opened()


def test_documents_are_the_hits_with_their_passages(index: Index) -> None:
    documents = HybridRetriever(index=index, k=4).invoke("gout drug9")
    hits = search(index, "gout drug9", k=4)
    assert [document.id for document in documents] == [hit["id"] for hit in hits]
    first, hit = documents[0], hits[0]
    (passage,) = index.passages([hit["id"]])
    assert first.page_content == passage.text
    assert first.metadata == {
        "title": "Gout",
        "question": "How is gout 9 treated?",
        "source": "Test",
        "url": "",
        "focus": "",
        "kind": "qa",
        "record_id": "r9",
        "start": 0,
        "end": len(passage.text),
        "ranks": hit["ranks"],
        "scores": hit["scores"],
        "score": hit["score"],
    }


def test_settings_reach_the_search(index: Index) -> None:
    retriever = HybridRetriever(index=index, k=5, candidates=5, rrf_k=10, weights={"dense": 3})
    hits = search(index, "gout", k=5, candidates=5, rrf_k=10, weights={"dense": 3})
    assert [d.metadata["score"] for d in retriever.invoke("gout")] == [h["score"] for h in hits]


def test_wrong_settings_are_errors(index: Index) -> None:
    with pytest.raises(SettingError, match="k must be"):
        HybridRetriever(index=index, k=0).invoke("gout")
    with pytest.raises(ValidationError):
        HybridRetriever(index=index, facts=3)  # type: ignore[call-arg]


def test_a_query_that_is_no_text_is_an_error(index: Index) -> None:
    with pytest.raises(SettingError, match="the query is 3; give a text"):
        HybridRetriever(index=index).invoke(3)  # type: ignore[arg-type]
