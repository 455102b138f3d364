"""Whether one sentence denies another that is nearly the same, decided without a model."""

import re
from collections import Counter
from functools import lru_cache
from itertools import chain

from anamnesis.language.lexicon import any_of, listed
from anamnesis.language.opposites import pairs
from anamnesis.language.text import tokenize
from anamnesis.language.words import stem
from nodes.checking.checks import failed_checks

_MIN_SHARED = 3  # minimum number of shared words of two sentences about the same thing
# A number that is a label, not a quantity.
_LABELLED = re.compile(
    rf"\b((?:{any_of('series')}|chromosome)s?|{any_of('label')}|[a-z]+-)\s*(\d+)\b", re.IGNORECASE
)
# Words that may differ when one of two sentences denies the other.
_DETAILS = frozenset(
    stem(word) for word in chain(listed("negation", "do"), *pairs("claim", "denies"))
)


@lru_cache(maxsize=2048)
def _stems(text: str) -> tuple[str, ...]:
    """The stems of a sentence; each is compared with several others."""
    return tuple(stem(word) for word in tokenize(_LABELLED.sub(r"\1\2", text)))


def differs_in_detail(one: str, other: str) -> bool:
    """Whether two sentences are the same except for a number, a negation or an opposite.

    Nothing else may differ: 'type 1' and 'type 2', or men and women, are no conflict.
    """
    words, others = _stems(one), _stems(other)
    if not all(map(_is_detail, set(words) ^ set(others))):  # most pairs, without counting words
        return False
    apart = (Counter(words) - Counter(others)) + (Counter(others) - Counter(words))
    shared = [[word for word in item if word not in apart] for item in (words, others)]
    return (
        len(shared[0]) >= _MIN_SHARED
        and shared[0] == shared[1]
        and all(map(_is_detail, apart))
        and bool(failed_checks(one, other) or failed_checks(other, one))
    )


def _is_detail(word: str) -> bool:
    return word[0].isdigit() or word in _DETAILS
