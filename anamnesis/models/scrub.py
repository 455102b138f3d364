"""The part of a provider's error that may be logged: no keys, and no words of the request.

Some error messages of providers contain a part of the key, or the whole request.
"""

import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from textwrap import shorten

from anamnesis.language.lexicon import listed

LONGEST = 300
"""Maximum characters of an error that are logged: one that repeats the request can be very long."""
GONE = "…"
"""The mark that replaces what was removed."""
SECRET = r"(?:key|token|secret|passw(?:or)?d|passphrase|auth(?!or(?!i[sz])))"
"""What the names of variables and settings with a secret contain or end with, as a pattern."""

_LONGEST_EXAMINED = 4_000  # characters of an error
# Words of error messages, which reveal nothing about a patient even if the prompt has them too.
_PLAIN = frozenset(listed("article", "be", "preposition", without="are from")) | frozenset(
    listed("error_word")
)
# Such a word after the name of a credential is no credential: 'API key: not valid'.
_NO_CREDENTIAL = _PLAIN | frozenset(listed("no_credential"))
_WORD = re.compile(r"\w+")
# 'api_key=…', '"api-key": "…"', 'Authorization: Basic …', 'Bearer …'. Of names that other things
# have too, fewer forms are read: 'key=…' but not 'unknown key: …', and no 'pad_token=…'.
_NAMED = re.compile(
    r"(?:(?:(?:(?:api|access|account|secret|subscription)[ _-]?|[_-])key(?:[ _-]id)?(?: provided)?"
    r"|(?<![^\W_])(?:key|sig|signature|credential)(?==)"
    r"|(?<!(?:pad|eos|bos|unk|sep|cls|ask|max|new|put).)token"
    r"|secret|pass(?:word|wd|phrase)|authorization)"
    r"(?:\\?[\"'`])?\s*(?:=>|[:=])\s*(?:b?\\?[\"'`])?(?:(?:basic|bearer|digest|token)\s+)?"
    r"|\bbearer\s+)"
    r"(?P<value>(?<=[\"'`])[^\"'`\\]{1,200}(?=\\?[\"'`])"
    r"|(?![\[{(=]|https?:)[^\s\"'`\\&<>]*[^\s\"'`\\&<>.,;:)}\]])",
    re.IGNORECASE,
)
# A long run of letters and digits is no key if it is a name: 'claude-3-5-sonnet-20241022'.
_PART = r"(?:[A-Z]?[a-z]{1,20}|[A-Z]{1,20}|\d{1,8}|[A-Za-z\d]{1,4})"
_NAME = rf"(?=[\w-]{{0,60}}[a-z]{{4}})(?:{_PART}[_-]){{1,9}}+{_PART}(?![\w-])"
_KEY = re.compile(
    # A known prefix of keys; a masked key.
    r"\b(?:(?:sk|pk|rk|gsk|xai|pplx|nvapi)[-_]|hf_(?=[a-z]*(?:[A-Z\d*…]|\.\.))"
    r"|A[KS]IA(?=[A-Z]*[\d*])|AIza|eyJ)[\w*….-]{3,}[\w*]|(?<![\w*.-])[\w.-]*+\*{3,}[\w*.-]*"
    # User and password in an address; a long run of letters and digits.
    rf"|(?<=://)[^\s/@]{{1,200}}@|\b(?=[A-Za-z_-]{{0,30}}\d)(?!{_NAME})[\w-]{{24,}}"
)


def scrubbed(error: str, sent: Iterable[str]) -> str:
    """The error in one line, without keys and without words of the texts that were ``sent``."""
    # Without these escapes the letter after the backslash would seem to begin the next word.
    text = error[:_LONGEST_EXAMINED].replace("\\n", " ").replace("\\u", " ")
    for secret in _secrets():
        text = text.replace(secret, GONE)
    text = _KEY.sub(GONE, _NAMED.sub(_without_credential, text))
    words = sorted({word.lower() for item in sent for word in _WORD.findall(item)} - _PLAIN)
    text = _WORD.sub(lambda found: GONE if _was_sent(found[0].lower(), words) else found[0], text)
    # Several removed words in a row become one mark.
    text = re.sub(r"…(?:[^\w\n]{0,3}…)+", GONE, " ".join(text.split()))
    return shorten(text, LONGEST, placeholder=f" {GONE}")


def _without_credential(found: re.Match[str]) -> str:
    """A match of ``_NAMED`` without the credential, unless an ordinary word is in its place."""
    name, value = found[0].removesuffix(found["value"]), found["value"]
    first = next(iter(value.split()), "")
    if first.strip(".,;:!?").lower() in _NO_CREDENTIAL:
        return name + _NAMED.sub(_without_credential, value)
    return name + GONE


def _was_sent(word: str, words: list[str]) -> bool:
    """Whether a word is one of the sorted ``words``, or begins one: an error may cut a word off.

    The ordinary words of error messages are not counted.
    """
    if word in _PLAIN:
        return False
    place = bisect_left(words, word)
    if place == len(words):
        return False
    return words[place] == word or (len(word) > 2 and words[place].startswith(word))


def _secrets() -> Iterator[str]:
    """The values of the environment's secrets, the longest first.

    They are split at blanks, since a value can be an address and a key. Parts of up to five
    characters are left out: they are also parts of ordinary words.
    """
    values = (
        part
        for name, value in os.environ.items()
        if re.search(SECRET, name, re.IGNORECASE)
        for part in value.split()
        if len(part) > 5
    )
    yield from sorted(values, key=len, reverse=True)
