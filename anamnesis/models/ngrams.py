"""Counts of the words and parts of words in a text, hashed to a fixed number of columns."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple
from zlib import crc32

import numpy as np

COLUMNS = 1 << 16
"""The columns of each of the two kinds of features."""
_LETTERS = range(2, 6)
_WORDS = range(1, 4)
_WORD = re.compile(r"\w+")
_APOSTROPHE = re.compile("[\u2018\u2019`]|'")


class Counts(NamedTuple):
    """The columns of a text's features (n,), and 1 plus the logarithm of their counts (n,).

    Parts of words have the columns from 0, words and sequences of words those from ``COLUMNS``.
    """

    columns: np.ndarray
    values: np.ndarray


def counts(text: str) -> Counts:
    """The features of a text: sequences of 2 to 5 letters of a word, and of 1 to 3 words.

    A word's letters include a blank on either side. Case and apostrophes do not count.
    """
    words = _WORD.findall(_APOSTROPHE.sub("", text.casefold()))
    found = Counter(chain.from_iterable(map(_letter_columns, words)))
    found.update(_hashed(_sequences(words), COLUMNS))
    columns = np.fromiter(found, np.int64, len(found))
    return Counts(columns, 1 + np.log(np.fromiter(found.values(), np.float32, len(found))))


def _hashed(parts: Iterable[str], first: int) -> Iterator[int]:
    # Unlike hash(), the same in every process.
    return (first + crc32(part.encode("utf-8", "replace")) % COLUMNS for part in parts)


@lru_cache(maxsize=20_000)  # most words of a message are common ones
def _letter_columns(word: str) -> tuple[int, ...]:
    return tuple(_hashed(_letters(word), 0))


def _letters(word: str) -> Iterator[str]:
    padded = f" {word} "
    for length in _LETTERS:
        for start in range(max(1, len(padded) - length + 1)):
            yield padded[start : start + length]


def _sequences(words: list[str]) -> Iterator[str]:
    for length in _WORDS:
        for start in range(len(words) - length + 1):
            yield " ".join(words[start : start + length])
