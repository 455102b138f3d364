"""Compare the results of a new generation with those of the old one, on a sample of both."""

import heapq
import math
from hashlib import blake2b
from typing import NamedTuple

from anamnesis.corpus.record import Record
from anamnesis.errors import IndexFolderError
from anamnesis.language.text import sentences
from retrievers.corpus import Corpus
from retrievers.search import search

QUESTIONS = 100
_K = 10


class QualityComparison(NamedTuple):
    """nDCG@10 of a sample of records, each searched by its own question, in both generations.

    ``before`` is None if the old generation has no unchanged record, so nothing is compared.
    """

    questions: int
    before: float | None
    now: float


class Sample:
    """A sample of records: those with the smallest hashes."""

    def __init__(self, size: int = QUESTIONS) -> None:
        self._size = size
        self._chosen: list[tuple[int, str, str]] = []

    def note(self, record: Record) -> None:
        """Consider a record for the sample. Facts have no question and are left out."""
        if record.kind == "fact":
            return
        key = blake2b(record.id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        # Negative, because the heap drops the smallest value.
        row = (-int.from_bytes(key), record.id, _question(record))
        if row in self._chosen:
            return
        if len(self._chosen) < self._size:
            heapq.heappush(self._chosen, row)
        else:
            heapq.heappushpop(self._chosen, row)

    def __len__(self) -> int:
        return len(self._chosen)

    def score(self, corpus: Corpus) -> float:
        """nDCG@10: the mean of 1 / log2(1 + rank) of the record of each question."""
        gains = [_gain(corpus, question, key) for _, key, question in self._chosen]
        return sum(gains) / len(gains) if gains else 0.0


def compare(old: Corpus | None, new: Corpus, sample: Sample, max_loss: float) -> QualityComparison:
    """Search both. Raises IndexFolderError if the new one loses more than ``max_loss``."""
    before = None if old is None or not len(sample) else sample.score(old)
    found = QualityComparison(len(sample), before, sample.score(new))
    if before is not None and before - found.now > max_loss:
        raise IndexFolderError(
            f"The new generation gives worse results: nDCG@10 {found.now:.3f}, not {before:.3f}, "
            f"on {found.questions} of its own questions. The old one stays in use, and what was "
            f"embedded is kept. To accept the loss, use --max-loss "
            f"{math.ceil((before - found.now) * 100) / 100}"
        )
    return found


def _question(record: Record) -> str:
    if record.question or record.title:
        return record.question or record.title
    start, end = next(iter(sentences(record.text)), (0, len(record.text)))
    return record.text[start:end]


def _gain(corpus: Corpus, question: str, key: str) -> float:
    for rank, hit in enumerate(search(corpus, question, k=_K), start=1):
        if hit["record_id"] == key:
            return 1 / math.log2(1 + rank)
    return 0.0
