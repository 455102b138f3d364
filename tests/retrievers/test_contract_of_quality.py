"""Every ``Corpus`` finds what answers a real question as high as the files have it."""

import gzip
import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from anamnesis.corpus.starter import read_starter
from anamnesis.models.embedding import load_embedder
from anamnesis.models.encoder import Progress, Vectors
from evaluation.methods import documents
from evaluation.metrics import ndcg
from retrievers.corpus import Corpus
from retrievers.search import search
from tests.retrievers.engines import ENGINES, Engine, Files

QUESTIONS = Path(__file__).parents[2] / "training" / "starter_questions.jsonl.gz"
MOST_LOSS = 0.01
LEAST = 0.6
"""nDCG@10 in the files: several records are about the topic of a question, and one answers it."""


class Kept:
    """The shipped embedder, which embeds each text once in all tests."""

    def __init__(self) -> None:
        self._own = load_embedder()
        self.reference, self.fingerprint = self._own.reference, self._own.fingerprint
        self.dimensions, self.window = self._own.dimensions, self._own.window
        self.normalized = self._own.normalized
        self._documents: dict[str, Vectors] = {}
        self._queries: dict[str, Vectors] = {}

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._own.count_tokens(texts)

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        new = [own for own in dict.fromkeys(texts) if own not in self._documents]
        self._documents.update(zip(new, self._own.embed_documents(new, progress), strict=True))
        return np.stack([self._documents[own] for own in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        new = [own for own in dict.fromkeys(texts) if own not in self._queries]
        self._queries.update(zip(new, self._own.embed_queries(new), strict=True))
        return np.stack([self._queries[own] for own in texts])


kept = cache(Kept)


@cache
def questions() -> list[tuple[str, str]]:
    """Questions in users' words, each with the one record in which its answer stands."""
    with gzip.open(QUESTIONS, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [(own["question"], own["record"]) for own in rows if own["answers"]][::6]


def quality(corpus: Corpus, methods: Sequence[str]) -> float:
    """Mean nDCG@10 of the questions."""
    found = [
        (documents(search(corpus, text, methods, k=20, reduce_query=True)), right)
        for text, right in questions()
    ]
    return fmean(ndcg(own, {right: 1}) for own, right in found)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    made = Files(tmp_path_factory.mktemp("files"), kept())
    made.put(list(read_starter()), "starter")
    return made.opened()


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    made: Engine = request.param(tmp_path, kept())
    yield made
    made.close()


def test_real_questions_find_their_answers_as_in_the_files(engine: Engine, files: Corpus) -> None:
    engine.put(list(read_starter()), "starter")
    both: tuple[str, ...] = ("sparse", "dense")
    found = quality(engine.opened(), both)
    if "sparse" in engine.lists:
        expected = quality(files, both)
        assert found == pytest.approx(expected, abs=MOST_LOSS)
    else:
        # A store embeds texts as it likes, without their titles for instance.
        expected = quality(files, ("dense",))
        assert found > expected - MOST_LOSS
    assert LEAST < expected < 1
