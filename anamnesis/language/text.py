"""Plain text: words, sentences, tidy layout, identity.

Answers cite sentences, so the rules are made for medical prose as found: abbreviations and species
names, lists flattened into one line, headings without a full stop, sentences without a blank
between them.
"""

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from anamnesis.language.layout import breaks, is_list_item, tidy, without_marker
from anamnesis.language.lexicon import listed

__all__ = [
    "Span",
    "comma_list",
    "digest",
    "end_before_footnote",
    "is_list_item",
    "sentence_texts",
    "sentences",
    "straight",
    "tidy",
    "tokenize",
    "well_formed",
    "without_marker",
    "without_thoughts",
    "written_date",
]


class Span(NamedTuple):
    """A stretch of a text, in characters: ``text[start:end]``."""

    start: int
    end: int


def well_formed(text: str) -> str:
    """The text with U+FFFD for lone surrogates, which files and models do not accept.

    They come from bytes that are not UTF-8, or from JSON that was cut within a character.
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def straight(text: str) -> str:
    """The text with the typewriter's apostrophe for the printed one, which patterns lack."""
    return text.replace("’", "'")


def comma_list(*parts: str | None) -> str:
    """The parts that are not empty, with commas between them: a title, a publisher, an address."""
    return ", ".join(part for part in parts if part)


def written_date(day: date) -> str:
    """A date for the reader: '5 March 2024'."""
    return f"{day:%d %B %Y}".lstrip("0")


_WORD = re.compile(r"\w+")


def tokenize(text: str) -> list[str]:
    r"""The words of a text: runs of ``\w`` in lower case [R1]."""
    return _WORD.findall(text.lower())


_TAG = r"(?:<{0}(?:think|thinking|thought|reasoning)>|\[{0}think\])"
_THOUGHT = re.compile(rf"{_TAG.format('')}.*?(?:{_TAG.format('/')}|\Z)", re.DOTALL | re.IGNORECASE)
# If the chat template opens the thought, the reply contains only its end.
_THOUGHT_END = re.compile(_TAG.format("/"), re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """A chat model's reply without its thoughts; an unfinished thought extends to the end."""
    return _THOUGHT_END.split(_THOUGHT.sub("", text))[-1]


def digest(text: str) -> str:
    """Identity of a text regardless of case and spacing: 32 hex digits (BLAKE2b, 16 bytes)."""
    folded = " ".join(text.casefold().split())
    return blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def sentences(text: str) -> list[Span]:
    """The sentences, headings and list items of a text, in order.

    The spans do not overlap, have no blanks at their ends, and cover all non-blank characters. A
    list item keeps its marker (see ``without_marker``), a parenthesis of a few words stays with its
    sentence.
    """
    return list(_cached_sentences(text) if len(text) <= _LONGEST_CACHED else _sentences(text))


def sentence_texts(text: str) -> list[str]:
    """The words of each of the ``sentences`` of a text."""
    return [text[start:end] for start, end in sentences(text)]


@lru_cache(maxsize=512)
def _cached_sentences(text: str) -> tuple[Span, ...]:
    # Several steps of a run split the same passages.
    return tuple(_sentences(text))


def end_before_footnote(text: str, span: Span) -> int:
    """The end of a sentence without the number of a footnote after its full stop ('vitamins.3')."""
    number = _FOOTNOTE.search(text, *span)
    before = _TOKEN_BEFORE.search(text, span.start, number.start()) if number else None
    if number is None or (before and before.group()[:-1].lower() in _ANNOUNCE | {"no"}):
        return span.end  # 'no.15' is not a footnote
    return number.start()


def _sentences(text: str) -> Iterator[Span]:
    for block in _blocks(text):
        yield from _split(text, block)


def _blocks(text: str) -> Iterator[Span]:
    """The pieces between paragraph breaks and list items."""
    first = len(text) - len(text.lstrip())
    body = text.strip()
    start = 0
    for a, b, kind in breaks(body):
        if kind != "none":
            yield Span(first + start, first + a)
            start = b
    if start < len(body):
        yield Span(first + start, first + len(body))


_NUMBERS = r"\d{1,2}(?:[,–-]\d{1,2})*"
# What may end a sentence: a stop with its closing quotes, before a blank; a colon before an
# enumeration; a stop without the blank after it ("stages.Signs of") or followed by a footnote
# number ("vitamins.3 Choosing").
_STOP = re.compile(
    r"(?P<stop>(?<![.!?…])[.!?…]++[\"'”’)\]»]*+)(?=\s)"
    r"|(?P<colon>:)(?=\s+(?:\(?1[.)]\s))"
    r"|(?<=[a-z)]{2})(?P<lost>[.?!])(?=[A-Z][a-z]*[\s,:])"
    rf"|(?<=[a-z)]{{2}})(?P<footnote>\.{_NUMBERS})(?=\s+[A-Z])"
)
_FOOTNOTE = re.compile(rf"(?<=[a-z)]{{2}}\.){_NUMBERS}$")
_HEADING = re.compile(r"[A-Z][\w ,/'’()&-]{2,60} :(?=\s+[A-Z\"“(])")
_TOKEN_BEFORE = re.compile(r"\S+$")
_NEXT_WORD = re.compile(r"\s*[\"'“‘(\[«]*([\w'’.-]*)")
_ENUMERATOR = re.compile(r"(?:[-–*•]\s+)?\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]$")
_INITIALISM = re.compile(r"(?:[A-Za-z]\.){2,}$")

# Never the end of a sentence: something must follow these abbreviations.
_ANNOUNCE = frozenset(listed("announcing"))
# The end only if a new sentence clearly begins: a capital that is not a name or unit.
_MAY_END = frozenset(listed("ending"))
# Words that begin sentences: they decide after a doubtful full stop.
OPENERS = frozenset(
    listed(
        *("article", "demonstrative", "third", "third_possessive", "speaker", "question"),
        *("speaker_possessive", "preposition", "within_time"),
        without="her",
    )
) | frozenset(listed("opener"))
_ASKERS = frozenset(listed("question", "modal", "do", without="did")) | {"my", "i", "im"}
# A single capital after one of these belongs to a name: "vitamin C. Eat fruit".
_LETTERED = frozenset([*listed("series"), "vitamins"])
_LONGEST_CACHED = 10_000  # maximum characters of a text whose sentences are kept in memory
_LABEL_WORDS = 5  # maximum number of words of a list item's label, including its marker
_CLOSERS = "\"'”’)]»"
_SHORT_PARENTHESIS = 200  # characters within which a parenthesis is kept whole


def _split(text: str, block: Span) -> Iterator[Span]:
    start = block.start
    heading = _HEADING.match(text, start, block.end)
    if heading and heading.end() < block.end:
        yield Span(start, heading.end())
        start = _skip(text, heading.end(), block.end)
    for match in _STOP.finditer(text, start, block.end):
        if match.start() < start or not _ends(text, start, block.end, match):
            continue
        yield Span(start, match.end())
        start = _skip(text, match.end(), block.end)
    if start < block.end:
        yield Span(start, block.end)


def _skip(text: str, at: int, end: int) -> int:
    while at < end and text[at].isspace():
        at += 1
    return at


def _ends(text: str, start: int, end: int, match: re.Match[str]) -> bool:
    """Whether the sentence that began at ``start`` ends with this stop."""
    at = _skip(text, match.end(), end)
    if at >= end:
        return False  # the end of the block ends it anyway
    following = text[at]
    found = _TOKEN_BEFORE.search(text, max(start, match.start() - 80), match.start())
    token = found.group() if found else ""
    word = token.lstrip("\"'“‘([«").lower()
    after = _NEXT_WORD.match(text, match.end(), min(end, match.end() + 60))
    next_word = after.group(1).lower().rstrip(".'’-") if after else ""
    if match["lost"]:
        # Not in addresses, or in names such as Cancer.Net.
        plain = "/" not in token and "@" not in token and not word.startswith("www")
        return plain and (token[:1].islower() or token.endswith(")") or next_word in OPENERS)
    if match["colon"] or match["footnote"]:
        return True
    if _in_short_parenthesis(text, start, match.end(), end):
        return False
    if not (following.isalnum() or following in "\"'“‘([«-–•*<>≥≤~±$"):
        return False  # "? ?": more punctuation follows
    stop = match["stop"]
    if stop.rstrip(_CLOSERS) != ".":
        # "Ouch!" he said; "wait ... what": a lower-case letter continues the sentence, unless it is
        # a question in careless writing.
        return not following.islower() or next_word in _ASKERS
    if len(stop) > 1:
        return not following.islower()
    label = text[start : match.start()]
    labelled = is_list_item(label) and len(label.split()) <= _LABEL_WORDS
    if labelled and not is_list_item(text[at : at + 8]):
        return False  # "- Lymph system. The cancer spreads ...": it is the label of what follows
    return _full_stop_ends(text, start, match.start(), word, following, next_word)


def _full_stop_ends(
    text: str, start: int, at: int, word: str, following: str, next_word: str
) -> bool:
    head = text[start : at + 1]
    if len(head) <= 8 and _ENUMERATOR.fullmatch(head):
        return False
    opener = next_word in OPENERS
    if word in _ANNOUNCE:
        return False
    if word == "no":
        return at - start == 2 or not following.isdigit()
    if word in _MAY_END or _INITIALISM.match(word + "."):
        return opener and not following.islower()
    if len(word) == 1 and word.isalpha():
        if following.islower():
            return False  # E. coli
        previous = text[start : at - 1].split()[-1:]
        return opener or (bool(previous) and previous[0].lower().strip("(") in _LETTERED)
    if following.islower():
        # A lower-case letter begins a sentence only in careless writing, after a whole word.
        return len(word) >= 4 and word.isalpha() and text[at - 1].islower()
    return True


def _in_short_parenthesis(text: str, start: int, at: int, end: int) -> bool:
    """Whether a parenthesis opened in this sentence is still open, and closes soon."""
    opened = text.rfind("(", start, at)
    if opened < 0 or text.find(")", opened, at) >= 0:
        return False
    closed = text.find(")", at, min(end, opened + _SHORT_PARENTHESIS))
    return closed >= 0 and opened > start
