"""Every ``Corpus`` finds what answers a real question as high as the files have it."""

import gzip
import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any
from unittest import mock

import numpy as np
import pytest

from anamnesis.corpus.record import Record
from anamnesis.corpus.starter import read_starter
from anamnesis.models.embedding import load_embedder
from anamnesis.models.encoder import Progress, Vectors
from benchmarks.asked_as import with_asked_as
from evaluation.methods import documents
from evaluation.metrics import ndcg
from retrievers import postgres_tables
from retrievers.corpus import Corpus
from retrievers.index import Index
from retrievers.search import search
from tests.retrievers.engines import ENGINES, NOT_HERE, Engine, Files, Postgres

QUESTIONS = Path(__file__).parents[2] / "training" / "starter_questions.jsonl.gz"
MOST_LOSS = 0.01
LEAST = 0.55
"""nDCG@10 in the files with the whole starter corpus: several records are about the topic of a
question, and one answers it."""
LEAST_AMONG_ASKED, LEAST_PLAIN = 0.82, 0.7
"""The same among the records that questions were written about, whose number does not grow with the
starter corpus; and of vectors alone, without questions in other words."""


class Kept:
    """The shipped embedder, which embeds each text once in all tests.

    The vectors of the starter corpus are those of its index, which other tests use too.
    """

    def __init__(self, starter: Index) -> None:
        self._embedder = load_embedder()
        self.reference, self.fingerprint = self._embedder.reference, self._embedder.fingerprint
        self.dimensions, self.window = self._embedder.dimensions, self._embedder.window
        self.query_window = self._embedder.query_window
        self.normalized = self._embedder.normalized
        vectors = starter.vectors.vectors
        # Another test may have added facts to this index, which are not among these vectors.
        passages = starter.passages(starter.ids(range(len(vectors))))
        self._documents: dict[str, Vectors] = {
            passage.embedded: vector for passage, vector in zip(passages, vectors, strict=True)
        }
        self._queries: dict[str, Vectors] = {}

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._embedder.count_tokens(texts)

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in self._documents]
        if new:
            self._documents.update(
                zip(new, self._embedder.embed_documents(new, progress), strict=True)
            )
        return np.stack([self._documents[text] for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in self._queries]
        self._queries.update(zip(new, self._embedder.embed_queries(new), strict=True))
        return np.stack([self._queries[text] for text in texts])


class Approximate(Postgres):
    """PostgreSQL, whose vectors are searched by the graph of a large index."""

    def put(self, records: Sequence[Record], collection: str = "one") -> None:
        with mock.patch.object(postgres_tables, "EXACT_UP_TO", 0):
            super().put(records, collection)
        assert self._engine.corpus().held.near


@cache
def written() -> list[dict[str, Any]]:
    """Questions in users' words, each with the record that it was written about."""
    with gzip.open(QUESTIONS, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@cache
def questions() -> list[tuple[str, str]]:
    """Every sixth of those that a record answers, with that record."""
    return [(row["question"], row["record"]) for row in written() if row["answers"]][::6]


def quality(corpus: Corpus, methods: Sequence[str]) -> float:
    """Mean nDCG@10 of the questions."""
    found = [
        (documents(search(corpus, text, methods, k=20, reduce_query=True)), right)
        for text, right in questions()
    ]
    return fmean(ndcg(texts, {right: 1}) for texts, right in found)


@pytest.fixture(scope="module")
def kept(starter_home: Path) -> Kept:
    return Kept(Index.open(starter_home / "index"))


@pytest.fixture(scope="module")
def files(starter_home: Path, kept: Kept) -> Corpus:
    return Index.open(starter_home / "index", kept)


@pytest.fixture(params=[*ENGINES, pytest.param(Approximate, id="near vectors", marks=NOT_HERE)])
def engine(request: pytest.FixtureRequest, tmp_path: Path, kept: Kept) -> Iterator[Engine]:
    made: Engine = request.param(tmp_path, kept)
    yield made
    made.close()


def test_real_questions_find_their_answers_as_in_the_files(
    engine: Engine, files: Corpus, kept: Kept, tmp_path: Path
) -> None:
    records = list(read_starter())
    engine.put(records, "starter")
    found = quality(engine.opened(), ("sparse", "dense"))
    if "sparse" in engine.lists:
        expected = quality(files, ("sparse", "dense"))
        assert found == pytest.approx(expected, abs=MOST_LOSS)
        assert LEAST < expected < 1
    else:
        # A store without BM25 embeds texts as it likes, without their titles for instance, and
        # never with the questions in other words, which the files embed.
        plain = Files(tmp_path, kept)
        plain.put([with_asked_as(0, item) for item in records])
        assert found > quality(plain.opened(), ("dense",)) - MOST_LOSS


@pytest.mark.parametrize(
    ("methods", "words", "least"),
    [(("sparse", "dense"), 4, LEAST_AMONG_ASKED), (("dense",), 0, LEAST_PLAIN)],
)
def test_a_question_finds_its_answer_among_the_records_that_questions_were_written_about(
    methods: Sequence[str], words: int, least: float, kept: Kept, tmp_path: Path
) -> None:
    asked = {row["record"] for row in written()}
    files = Files(tmp_path, kept)
    files.put([with_asked_as(words, item) for item in read_starter() if item.id in asked])
    assert least < quality(files.opened(), methods) < 1
