"""Sparse retrieval: BM25 Okapi, with term weights that are computed once and stored on disk [R1].

Scores are those of ``rank_bm25.BM25Okapi``, including its floor for negative idf, but a query reads
only the postings of its terms. There are two intended differences: an empty corpus is no error, and
a document whose score is not above zero is never returned. (In a corpus of one or two documents
every idf is zero or less, so BM25 finds nothing there.)
"""

import math
import threading
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from anamnesis.language.text import tokenize
from anamnesis.models.once import loaded_once
from retrievers.ranking import FloatArray, Scored, padded, top

K1 = 1.5
B = 0.75
EPSILON = 0.25
TOKENIZER = "\\w+ of lower case"

FILES = ("terms", "idf", "starts", "rows", "weights", "common", "common_terms")

# A term that occurs in more than this share of the documents is stored as an array with a weight
# for each document: adding two arrays is several times faster than adding at scattered positions.
COMMON_SHARE = 0.25


class SparseIndex:
    """A BM25 index on disk, opened memory-mapped. Safe to search from several threads."""

    def __init__(self, folder: Path) -> None:
        """Open the index that ``write_sparse`` wrote into ``folder``; OSError or ValueError if it
        is invalid.
        """
        # Plain views: slices of np.memmap itself cost several microseconds each.
        loaded = {
            name: np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False))
            for name in FILES
        }
        self._terms = loaded["terms"]
        self._idf = loaded["idf"]
        self._starts = loaded["starts"]
        self._rows = loaded["rows"]
        self._weights = loaded["weights"]
        self._common = loaded["common"]
        self._common_row = {int(t): i for i, t in enumerate(loaded["common_terms"])}
        self._local = threading.local()

    def __len__(self) -> int:
        """The number of documents."""
        return int(self._common.shape[1])

    def search(self, query: str, k: int) -> list[Scored]:
        """The ``k`` best documents for ``query``, best first, equal scores by row."""
        if k < 1:
            return []
        scores = self._buffer()
        scores.fill(0.0)
        within = scores[: len(self)]
        for term, count in Counter(tokenize(query)).items():
            number = self._number(term)
            if number is None:
                continue
            if (common := self._common_row.get(number)) is not None:
                weights = self._common[common]
                within += weights if count == 1 else weights * count
            else:
                place = slice(self._starts[number], self._starts[number + 1])
                weights = self._weights[place]
                np.add.at(scores, self._rows[place], weights if count == 1 else weights * count)
        return top(scores, k)

    def idf(self, term: str) -> float:
        """The idf of a lower-case word in BM25, but never below zero.

        A word that no document has gets a higher idf than any other.
        """
        number = self._number(term)
        if number is None:
            return math.log(len(self) + 0.5) - math.log(0.5)
        return max(0.0, float(self._idf[number]))

    def words(self, beginning: str) -> list[str]:
        """The lower-case words in the documents that start with ``beginning``, sorted."""
        vocabulary = self._vocabulary
        first = bisect_left(vocabulary, beginning)
        end = first
        while end < len(vocabulary) and vocabulary[end].startswith(beginning):
            end += 1
        return vocabulary[first:end]

    def having(self, words: Iterable[str]) -> npt.NDArray[np.int32]:
        """The rows of all documents with at least one of the lower-case words, in order."""
        numbers = [number for word in words if (number := self._number(word)) is not None]
        rows = [self._rows[self._starts[item] : self._starts[item + 1]] for item in numbers]
        return np.unique(np.concatenate(rows)) if rows else np.empty(0, np.int32)

    def counts(self) -> dict[str, int]:
        """The lower-case words of the documents, each with how many documents have it."""
        return dict(zip(self._vocabulary, np.diff(self._starts).tolist(), strict=True))

    @loaded_once
    def _vocabulary(self) -> list[str]:
        text = self._terms.tobytes().decode("utf-8")
        return text.split("\n") if text else []

    def _number(self, term: str) -> int | None:
        vocabulary = self._vocabulary
        place = bisect_left(vocabulary, term)
        found = place < len(vocabulary) and vocabulary[place] == term
        return place if found else None

    def _buffer(self) -> FloatArray:
        # One for each thread, reused: a fresh array of this size costs more than the search.
        buffer: FloatArray | None = getattr(self._local, "scores", None)
        if buffer is None:
            buffer = np.zeros(padded(len(self)))
            self._local.scores = buffer
        return buffer


def write_sparse(texts: Iterable[str], folder: Path) -> None:
    """Write the BM25 index of ``texts`` (document n is row n) into ``folder``, which exists."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    terms, counts = array("i"), array("i")
    distinct, lengths = array("i"), array("q")
    for text in texts:
        found = Counter(tokenize(text))
        terms.extend(map(numbers.__getitem__, found))
        counts.extend(found.values())
        distinct.append(len(found))
        lengths.append(found.total())

    size = len(lengths)
    # Numbers were given in the order of appearance; on disk the vocabulary is sorted.
    vocabulary = sorted(numbers)
    appeared = np.fromiter((numbers[term] for term in vocabulary), np.int64, len(vocabulary))
    sorted_number = np.argsort(appeared).astype(np.int32)

    of_term = np.frombuffer(terms, np.int32) if terms else np.empty(0, np.int32)
    df = np.bincount(of_term, minlength=len(vocabulary))
    idf = _idf(df.tolist(), size)[appeared]
    df = df[appeared]

    of_term = sorted_number[of_term]
    order = np.argsort(of_term, kind="stable")
    rows = np.repeat(np.arange(size, dtype=np.int32), np.asarray(distinct))[order]
    frequency = np.asarray(counts, np.float64)[order]
    starts = np.concatenate([[0], np.cumsum(df)]).astype(np.int64)
    del order, of_term

    weights = _term_weights(frequency, rows, np.asarray(lengths, np.float64))
    weights *= np.repeat(idf, df)

    common_terms = np.flatnonzero(df > COMMON_SHARE * size)
    common = np.zeros((len(common_terms), size))
    for row, term in enumerate(common_terms):
        place = slice(starts[term], starts[term + 1])
        common[row, rows[place]] = weights[place]

    contents: dict[str, npt.NDArray[np.generic]] = {
        "terms": np.frombuffer("\n".join(vocabulary).encode(), np.uint8),
        "idf": idf,
        "starts": starts,
        "rows": rows,
        "weights": weights,
        "common": common,
        "common_terms": common_terms,
    }
    for name in FILES:
        np.save(folder / f"{name}.npy", contents[name], allow_pickle=False)


def _term_weights(
    frequency: FloatArray, rows: npt.NDArray[np.int32], lengths: FloatArray
) -> FloatArray:
    """BM25's weight of each term in a document, without the idf; changes ``frequency``."""
    average = lengths.sum() / len(lengths) if len(lengths) else 0.0
    norm = K1 * (1 - B + B * lengths / average) if average else lengths
    weights: FloatArray = frequency * (K1 + 1)
    frequency += norm[rows]
    weights /= frequency
    return weights


def _idf(document_frequency: list[int], size: int) -> FloatArray:
    """The idf of each term; a negative one becomes a quarter of the average idf.

    The average is over all terms, negative ones included, as in rank_bm25.
    """
    idf = [math.log(size - df + 0.5) - math.log(df + 0.5) for df in document_frequency]
    floor = EPSILON * (sum(idf) / len(idf)) if idf else 0.0
    return np.array([floor if value < 0 else value for value in idf])
