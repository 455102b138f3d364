"""Content words, those that name a topic, and forms of one word."""

import re
from collections.abc import Iterable
from functools import lru_cache

from anamnesis.language.lexicon import forms, listed
from anamnesis.language.text import tokenize

FUNCTION_WORDS = frozenset(
    listed(
        *("article", "demonstrative", "third", "third_object", "third_possessive", "speaker"),
        *("speaker_object", "speaker_possessive", "be", "do", "have", "modal", "possibility"),
        "preposition",
    )
) | frozenset(listed("function_word"))
"""Words without content of their own."""
SELF = r"i(?:['’]?(?:m|ve))?"
"""The speaker as a subject, as a pattern: 'I', "I'm", 'ive'."""
# 'May' is also a month.
STOP_WORDS = (
    (FUNCTION_WORDS - {"may"})
    | frozenset(listed("question", "family", "near", "grandparent", without="partner"))
    | frozenset(listed("stop_word"))
)

# 'Naturally', 'quickly': manner, not content. 'Family', 'early' and the like are excluded.
_ADVERB = re.compile(r"^\w{4,}(?<!fami)(?<!ear)(?<!anoma)ly$")


def content_terms(text: str) -> list[str]:
    """The content words: tokens without function words and adverbs, in order."""
    return [
        token for token in tokenize(text) if token not in STOP_WORDS and not _ADVERB.match(token)
    ]


_KEEPS_S = ("ss", "us", "is")


def singular(word: str) -> str:
    """A word in lower case without the s of a plural: 'tablet' of 'tablets'.

    'Illness', 'lupus', 'psoriasis' and words of up to three letters stay as they are. Names in an
    index are stored in this form: after a change of the rule, each index has to be built again.
    """
    plural = len(word) > 3 and word.endswith("s") and not word.endswith(_KEEPS_S)
    return word[:-1] if plural else word


_IRREGULAR = forms("irregular")


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """A rough stem: enough to match 'reduced' and 'reduce', 'skip' and 'skipping'."""
    word = _IRREGULAR.get(word, word)
    for ending in ("ations", "ation", "ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            doubled = word[-1] == word[-2] and word[-1] not in "aeiouls"
            return word[:-1] if ending in ("ing", "ed") and doubled else word
    return word


def content_stems(text: str) -> set[str]:
    """The stems of the content words."""
    return set(map(stem, content_terms(text)))


# Words for aspects of a topic. A question of only these words names no topic.
_ASPECTS = frozenset(listed("illness", "remedy", "aspect"))
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def topic_terms(question: str) -> list[str]:
    """The words of a question that name its topic."""
    return [term for term in content_terms(question) if term not in _ASPECTS and len(term) > 2]


def has_words_of(text: str, topic: str) -> bool:
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
