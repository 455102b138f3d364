"""rank_bm25 itself as the sparse list [R1]."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.runnables import RunnableLambda

from anamnesis import SettingError
from retrievers.build import build
from retrievers.filter import Filter, Filtered
from retrievers.index import Index
from retrievers.library_bm25 import LibraryBM25
from retrievers.retriever_corpus import RetrieverCorpus
from retrievers.search import search
from retrievers.sparse import SparseIndex, write_sparse
from tests.fakes import HashEmbedder
from tests.retrievers.conftest import QUERIES, record, records

TEXT = st.lists(st.sampled_from("a b c d gout é".split()), max_size=8).map(" ".join)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("library")
    build(records(40), folder, HashEmbedder(), "one")
    opened = Index.open(folder, HashEmbedder())
    yield opened
    opened.close()


@given(st.lists(TEXT, max_size=12), TEXT, st.integers(0, 5))
def test_it_scores_as_the_matrix_does(texts: list[str], query: str, k: int) -> None:
    with TemporaryDirectory() as folder:
        write_sparse(texts, Path(folder))
        matrix = SparseIndex(Path(folder)).search(query, len(texts))
    found = LibraryBM25(texts).search(query, len(texts))
    assert dict(found) == pytest.approx(dict(matrix), abs=1e-9)
    assert LibraryBM25(texts).search(query, k) == found[:k]


@pytest.mark.parametrize("query", QUERIES)
def test_a_search_by_it_finds_what_the_matrix_finds(index: Index, query: str) -> None:
    for methods in (["sparse"], ["sparse", "dense"]):
        matrix = search(index, query, methods)
        library = search(index, query, methods, bm25="rank-bm25")
        assert [(hit["id"], hit["ranks"]) for hit in library] == [
            (hit["id"], hit["ranks"]) for hit in matrix
        ]
        assert [hit["score"] for hit in library] == pytest.approx(
            [hit["score"] for hit in matrix], abs=1e-9
        )


def test_a_retriever_with_the_index_changes_nothing(index: Index) -> None:
    joined = RetrieverCorpus(RunnableLambda(lambda query: []), index)
    for corpus in (joined, joined.limited(Filter())):
        library = search(corpus, "gout drug1", ["sparse"], bm25="rank-bm25")
        assert library == search(corpus, "gout drug1", ["sparse"]) != []


def test_a_filter_applies_to_it(tmp_path: Path) -> None:
    others = [replace(record(number), source="Other") for number in range(8, 16)]
    build([*records(8), *others], tmp_path, HashEmbedder(), "one")
    opened = Index.open(tmp_path, HashEmbedder())
    limited = Filtered(opened, Filter(sources=("Other",)))
    found = search(limited, "gout", ["sparse"], bm25="rank-bm25")
    assert found
    assert {hit["record_id"] for hit in found} <= {record.id for record in others}
    opened.close()


def test_another_engine_says_that_it_has_no_such_list(index: Index) -> None:
    class Elsewhere:
        further: dict[str, object] = {}  # noqa: RUF012

        def sparse(self, words: str, k: int) -> list[object]:
            return []

    with pytest.raises(SettingError, match="Elsewhere cannot be searched by rank-bm25"):
        search(Elsewhere(), "gout", ["sparse"], bm25="rank-bm25")  # type: ignore[arg-type]
