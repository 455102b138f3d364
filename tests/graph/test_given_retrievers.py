"""Retrievers and stores of others that lack something, or refuse something."""

from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore

from anamnesis import RunError
from retrievers.filter import Filter
from tests.graph.conftest import ASTHMA
from tests.graph.test_given_parts import Fixed, Hashed, asked, asthma


class Awaited(Fixed):
    """A retriever that has only the method with await."""

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        raise NotImplementedError


class Short(InMemoryVectorStore):
    """A store that refuses long lists, as servers do."""

    def similarity_search_with_score(self, query: str, k: int = 4, **more: Any) -> Any:
        if k > 1000:
            raise ValueError("top_k must be at most 1000")
        return super().similarity_search_with_score(query, k=k, **more)


def test_a_retriever_that_finds_no_list_or_only_awaits_is_told_what_it_lacks(
    no_home: object,
) -> None:
    with pytest.raises(RunError, match="gave an object of NoneType; give a retriever whose invoke"):
        asked(RunnableLambda(lambda query: None))
    with pytest.raises(RunError, match="Awaited cannot be called without await; implement"):
        asked(Awaited(documents=[]))


def test_a_store_that_refuses_long_lists_is_searched_as_far_as_it_goes(no_home: object) -> None:
    store = Short(Hashed())
    hidden = {"access": "staff"}
    store.add_documents([Document(f"Gout {n}.", id=f"s{n}", metadata=hidden) for n in range(1500)])
    assert asked(store, filter=Filter())["outcome"] == "abstained"
    store.add_documents([asthma()])
    answer = asked(store, filter=Filter())
    assert [own["id"] for own in answer["sources"]] == ["a-1"]


@pytest.mark.parametrize("kind", [list, tuple, set, frozenset])
def test_groups_may_be_any_collection(kind: Any, no_home: object) -> None:
    document = Document(ASTHMA, id="a", metadata={"access": kind(["staff"])})
    given = Fixed(documents=[document])
    assert asked(given, filter=Filter(access=("staff",)))["sources"]
    assert not asked(given, filter=Filter(access=("nurses",)))["sources"]
