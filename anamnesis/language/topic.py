"""Words of a question that name its topic, and the overlap of two texts."""

import re
from collections.abc import Iterable

from anamnesis.language.lexicon import listed
from anamnesis.language.words import content_stems, content_terms

# Words for aspects of a topic. A question of only these words names no topic.
_ASPECTS = frozenset(listed("illness", "remedy", "aspect"))
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def own_terms(question: str) -> list[str]:
    """The words of a question that name its topic."""
    return [term for term in content_terms(question) if term not in _ASPECTS and len(term) > 2]


def names(text: str, topic: str) -> bool:
    """Whether the text has every content word of a topic's name."""
    return content_stems(topic) <= content_stems(text)


def overlap(one: str, other: str) -> float:
    """The share of the shorter text's content words that the other text also has."""
    a, b = content_stems(one), content_stems(other)
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def repeated(one: str, others: Iterable[str]) -> float:
    """The largest ``overlap`` of a text with those of the others that have all its numbers.

    'Within 5 days' does not repeat 'within 3 days', however many other words the texts share.
    """
    numbers = set(_NUMBER.findall(one))
    same = (other for other in others if numbers <= set(_NUMBER.findall(other)))
    return max((overlap(one, other) for other in same), default=0.0)
