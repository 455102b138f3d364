from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers import dense
from retrievers.dense import COARSE, DenseIndex, write_dense


def build(vectors: np.ndarray, folder: Path) -> DenseIndex:
    blocks = (vectors[start : start + 100] for start in range(0, len(vectors), 100))
    write_dense(blocks, len(vectors), vectors.shape[1], folder)
    return DenseIndex(folder)


def random(rows: int, dimensions: int = 32, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).standard_normal((rows, dimensions)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def assert_exact(index: DenseIndex, vectors: np.ndarray, query: np.ndarray, k: int) -> None:
    expected = np.sort(vectors.astype(np.float64) @ query.astype(np.float64))[::-1][:k]
    found = index.search(query, k)
    assert [score for _, score in found] == pytest.approx(expected, rel=1e-5, abs=1e-5)
    assert len({row for row, _ in found}) == len(found)
    for row, score in found:
        assert score == pytest.approx(float(vectors[row] @ query), rel=1e-5, abs=1e-5)


@pytest.fixture(params=["plain", "coarse"])
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "coarse":
        monkeypatch.setattr(dense, "COARSE_FROM", 500)
    return str(request.param)


def test_the_best_inner_products_come_first(tmp_path: Path, form: str) -> None:
    vectors = random(2000)
    index = build(vectors, tmp_path)
    assert (tmp_path / COARSE).exists() == (form == "coarse")
    for query in random(20, seed=1):
        assert_exact(index, vectors, query, 10)


def test_products_are_not_normalised(tmp_path: Path, form: str) -> None:
    vectors = random(2000) * np.linspace(0.1, 30, 2000, dtype=np.float32)[:, None]
    assert_exact(build(vectors, tmp_path), vectors, 5 * random(1, seed=2)[0], 10)


def test_vectors_that_half_precision_does_not_separate_are_ordered_exactly(
    tmp_path: Path, form: str
) -> None:
    vectors = random(1) + 1e-5 * random(2000, seed=3)
    assert_exact(build(vectors, tmp_path), vectors, random(1)[0], 10)


def test_vectors_too_large_for_half_precision_are_found(tmp_path: Path, form: str) -> None:
    vectors = random(1000) * np.float32(1e6)
    index = build(vectors, tmp_path)
    query = random(1, seed=4)[0]
    best = np.argsort(-(vectors @ query))[:5]
    assert [row for row, _ in index.search(query, 5)] == best.tolist()


def test_the_coarse_copy_decides_nothing_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dense, "COARSE_FROM", 500)
    vectors = random(2000)
    index = build(vectors, tmp_path)
    asked: list[int] = []
    everything = index._search_all

    def count(query: np.ndarray, k: int):  # type: ignore[no-untyped-def]
        asked.append(k)
        return everything(query, k)

    monkeypatch.setattr(index, "_search_all", count)
    index.search(random(1, seed=5)[0], 10)
    assert asked == []
    alike = build(np.repeat(random(1), 2000, axis=0), tmp_path)
    monkeypatch.setattr(alike, "_search_all", count)
    alike.search(random(1)[0], 10)
    assert asked == [10]


def test_an_index_whose_files_went_still_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dense, "COARSE_FROM", 500)
    vectors = random(2000)
    index = build(vectors, tmp_path)
    for path in tmp_path.iterdir():
        path.unlink()
    assert_exact(index, vectors, random(1, seed=6)[0], 10)


@given(st.integers(0, 5), st.integers(-1, 8))
def test_no_more_rows_come_than_there_are_or_are_asked_for(rows: int, k: int) -> None:
    with TemporaryDirectory() as folder:
        index = build(random(rows) if rows else np.empty((0, 32), np.float32), Path(folder))
        assert len(index) == rows
        assert len(index.search(random(1)[0], k)) == max(0, min(rows, k))


def test_equal_products_come_by_row(tmp_path: Path) -> None:
    index = build(np.ones((50, 4), np.float32), tmp_path)
    found = index.search(np.ones(4, np.float32), 50)
    assert [row for row, _ in found] == list(range(50))
