"""The part of a provider's error that may be logged: no keys, and no words that were sent to it.

Some error messages of providers contain a part of the key, or all the text that was sent.
"""

import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from textwrap import shorten

from anamnesis.language.lexicon import listed

LONGEST = 300
"""Maximum characters of an error that are logged; one that repeats the whole request is very long.
"""
GONE = "…"
"""The mark that replaces what was removed."""

_READ = 4_000  # characters of an error that are examined
SECRET = ("key", "token", "secret", "password")
"""Words in the names of secrets."""
# Words of error messages, which reveal nothing about a patient even if the prompt has them too.
_PLAIN = frozenset(listed("article", "be", "preposition", without="are from")) | frozenset(
    listed("error_word")
)
_WORD = re.compile(r"\w+")
_KEY = re.compile(
    # A known prefix of keys; a credential after its name; a long run of letters and digits.
    r"\b(?:sk|pk|rk|gsk|xai|hf|AIza)[-_][\w*.-]{4,}|(?<=earer )\S+|(?<=://)[^\s/@]{1,200}@"
    r"|\b(?=[A-Za-z_-]{0,30}\d)[\w-]{24,}"
)


def scrubbed(error: str, sent: Iterable[str]) -> str:
    """The error in one line, without keys and without words of the texts that were ``sent``."""
    text = error[:_READ].replace("\\n", " ").replace("\\u", " ")
    for secret in _secrets():
        text = text.replace(secret, GONE)
    text = _KEY.sub(GONE, text)
    words = sorted({word.lower() for item in sent for word in _WORD.findall(item)} - _PLAIN)
    text = _WORD.sub(lambda found: GONE if _was_sent(found[0].lower(), words) else found[0], text)
    # Several removed words in a row become one mark.
    text = re.sub(r"…(?:[^\w\n]{0,3}…)+", GONE, " ".join(text.split()))
    return shorten(text, LONGEST, placeholder=f" {GONE}")


def _was_sent(word: str, words: list[str]) -> bool:
    """Whether a word is one of the sorted ``words``, or the beginning of one that was cut off."""
    if word in _PLAIN:
        return False
    place = bisect_left(words, word)
    if place == len(words):
        return False
    return words[place] == word or (len(word) > 2 and words[place].startswith(word))


def _secrets() -> Iterator[str]:
    """The keys in the environment, split into words, the longest first."""
    values = (
        part
        for name, value in os.environ.items()
        if any(item in name.lower() for item in SECRET)
        for part in value.split()
        if len(part) > 5
    )
    yield from sorted(values, key=len, reverse=True)
