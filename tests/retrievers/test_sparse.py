from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from anamnesis.language.text import tokenize
from retrievers.sparse import SparseIndex, write_sparse

WORD = st.sampled_from(["a", "b", "c", "d", "e", "gout", "é", "ß", "x1"])
TEXT = st.lists(WORD, max_size=12).map(" ".join)


def build(texts: Sequence[str], folder: Path) -> SparseIndex:
    write_sparse(texts, folder)
    return SparseIndex(folder)


def reference(texts: Sequence[str], query: str) -> np.ndarray:
    """Scores of rank_bm25; zeros where it cannot be made, because no document has a word."""
    words = [tokenize(text) for text in texts]
    if not any(words):
        return np.zeros(len(texts))
    return BM25Okapi(words).get_scores(tokenize(query))


def assert_same(texts: Sequence[str], query: str, index: SparseIndex) -> None:
    expected = reference(texts, query)
    found = index.search(query, len(texts) + 1)
    assert {row for row, _ in found} == set(np.flatnonzero(expected > 1e-12)) | {
        row for row, _ in found if abs(expected[row]) <= 1e-12
    }
    for row, score in found:
        assert score > 0
        assert score == pytest.approx(expected[row], abs=1e-9)
    assert found == sorted(found, key=lambda scored: (-scored.score, scored.row))


@given(st.lists(TEXT, max_size=12), TEXT)
@example([], "a")
@example(["a b"], "a")
@example(["", ""], "a")
@example(["a", ""], "a")
@example(["a b", "a c", "a d"], "a a b")
@example(["a b c", "a b d", "a e"], "zzz a a")
@example(["a", "a", "a", "b"], "a b")
def test_scores_are_those_of_rank_bm25(texts: list[str], query: str) -> None:
    with TemporaryDirectory() as folder:
        assert_same(texts, query, build(texts, Path(folder)))


@settings(max_examples=25)
@given(st.lists(TEXT, min_size=100, max_size=150), TEXT, st.integers(1, 20))
def test_a_cut_list_is_the_head_of_the_whole_list(texts: list[str], query: str, k: int) -> None:
    with TemporaryDirectory() as folder:
        index = build(texts, Path(folder))
        assert index.search(query, k) == index.search(query, len(texts))[:k]


def test_frequent_rare_repeated_and_unknown_words_score_as_the_reference(tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    words = np.array([f"w{n}" for n in range(300)])
    share = 1 / np.arange(1, 301)
    texts = [
        " ".join(random.choice(words, random.integers(0, 60), p=share / share.sum()))
        for _ in range(400)
    ]
    index = build(texts, tmp_path)
    for query in ("w0", "w0 w0 w1", "w250", "w3 w40 w3 nothing", "w0 w1 w2 w3 w4 w299"):
        assert_same(texts, query, index)


@pytest.mark.parametrize("query", ["", "   ", "?! …", "unknown"])
def test_a_query_without_a_known_word_finds_nothing(tmp_path: Path, query: str) -> None:
    assert build(["one two", "three", "four"], tmp_path).search(query, 5) == []


@pytest.mark.parametrize("k", [0, -1])
def test_no_rows_are_asked_for_and_none_come(tmp_path: Path, k: int) -> None:
    assert build(["one two", "three", "four"], tmp_path).search("one", k) == []


def test_an_empty_corpus_is_fine(tmp_path: Path) -> None:
    index = build([], tmp_path)
    assert len(index) == 0
    assert index.search("anything", 3) == []


def test_case_is_ignored(tmp_path: Path) -> None:
    index = build(["GOUT and Asthma", "rash", "fever"], tmp_path)
    assert [row for row, _ in index.search("gout ASTHMA", 3)] == [0]


def test_equal_scores_come_by_row(tmp_path: Path) -> None:
    texts = ["same words", "other", "same words", "more", "else", "same words", *"abcdefg"]
    index = build(texts, tmp_path)
    assert [row for row, _ in index.search("same", 5)] == [0, 2, 5]
    assert [row for row, _ in index.search("same", 2)] == [0, 2]


def test_idf_grows_with_rarity_and_is_never_negative(tmp_path: Path) -> None:
    index = build(["the gout", "the rash", "the fever gout", "the end"], tmp_path)
    assert 0 <= index.idf("the") < index.idf("rash") < index.idf("never seen")
    assert index.idf("gout") < index.idf("rash")


def test_threads_do_not_share_a_buffer(tmp_path: Path) -> None:
    texts = [f"word{n % 50} word{n % 7} common" for n in range(500)]
    index = build(texts, tmp_path)
    queries = [f"word{n} common" for n in range(50)] * 4
    expected = [index.search(query, 10) for query in queries]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda query: index.search(query, 10), queries)) == expected
