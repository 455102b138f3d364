"""Plain text: words, sentences, clean layout, identity.

Sentences are what answers cite, so the rules here are made for medical prose as it comes:
abbreviations and species names, lists that were flattened into one line, headings without a
full stop, sentences that lost the blank between them.
"""

import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import Literal, NamedTuple


class Span(NamedTuple):
    """A stretch of a text, in characters: ``text[start:end]``."""

    start: int
    end: int


_WORD = re.compile(r"\w+")


def tokenize(text: str) -> list[str]:
    r"""The words of a text: runs of ``\w`` in lower case (row R1)."""
    return _WORD.findall(text.lower())


def digest(text: str) -> str:
    """Identity of a text regardless of case and spacing: 32 hex digits (BLAKE2b, 16 bytes)."""
    folded = " ".join(text.casefold().split())
    return blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


# --- layout: where a text breaks into paragraphs, headings and list items --------------------

_BULLETS = "•▪◦●‣○■□➢►✓❖"
_MARKER = re.compile(rf"[-–—*·](?=\s+\S)|[{_BULLETS}]")
_ENUMERATOR = re.compile(r"\(?(?:\d{1,2}|[a-zA-Z])[.)](?=\s+\S)")
_LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_GAP = re.compile(rf"\s{{2,}}|[{_LINE_BREAKS}]|\s(?=[{_BULLETS}]|-\s)")
_LATER_MARKER = re.compile(r"\s{2,}-\s")
_LAST_WORD = re.compile(r"(?:[\w'’]+|[^\w\s])$")
# A line that ends with one of these goes on, whatever follows.
_GOES_ON = frozenset(
    "a an and are as at be because been but by called can check for from has have if in include "
    "includes including into is like may more of on or out s see such than that the their these "
    "this to using via visit was were when which while with your , ( [ / & -".split()
)
# After one of these a single " - " can open a list.
_OPENS_LIST = frozenset(
    "are as because by can do experience following for from have help if include includes "
    "including is issues like may of or should such that these to try when who with you : ,".split()
)
_CLOSERS = "\"'”’)]»"
_ENDS = (".", "!", "?", ":", ";", "…")

_Break = Literal["none", "item", "paragraph"]


def _gaps(text: str) -> Iterator[tuple[int, int, _Break]]:
    """Every wide or broken blank of a stripped text, with what it separates."""
    line = 0  # where the present line or heading starts
    marker_end = _marker_end(text, 0)
    for match in _GAP.finditer(text):
        a, b = match.span()
        kind: _Break = "none" if a == marker_end else _classify(text, line, a, b)
        yield a, b, kind
        if kind != "none" or len(match.group().splitlines()) > 1:
            line = b
            marker_end = _marker_end(text, b) if kind == "item" else -1


def _marker_end(text: str, at: int) -> int:
    found = _MARKER.match(text, at)
    return found.end() if found else -1


def _classify(text: str, line: int, a: int, b: int) -> _Break:
    gap, before, after = text[a:b], text[line:a], text[b]
    newlines = len((gap + "x").replace("\r\n", "\n").splitlines()) - 1
    marker = _MARKER.match(text, b)
    if marker:
        if newlines or after in _BULLETS:
            return "item"
        if after == "-" and (len(gap) > 1 or _opens_list(text, before, a, b)):
            return "item"
    if newlines and _ENUMERATOR.match(text, b):
        return "item"
    if newlines > 1:
        return "paragraph"
    ended = before.rstrip(_CLOSERS).endswith(_ENDS)
    if newlines:
        return "none" if not ended and _soft(before, after) else "paragraph"
    if len(gap) < 3 and ended:
        return "none"  # two blanks after a full stop are typing, not layout
    last = _LAST_WORD.search(before)
    if last and last.group().lower().removesuffix("'s").removesuffix("’s") in _GOES_ON:
        return "none"
    if last and last.group().endswith(("'s", "’s")):
        return "none"
    if len(gap) >= 8:
        return "paragraph"  # the rows of flattened tables
    if after.islower() or not (after.isalpha() or after in "\"“("):
        return "none"
    if ended or len(gap) >= 3:
        return "none" if after in "(" and not ended else "paragraph"
    # Two blanks before a capital: the end of a heading, if what is before looks like one.
    chunk = before[_last_sentence(before) :]
    return "paragraph" if len(chunk) <= 90 and chunk[:1].isupper() and after.isupper() else "none"


def _soft(before: str, after: str) -> bool:
    """Whether a single line break only wraps a line."""
    if after.islower() or len(before) >= 60:
        return True
    last = _LAST_WORD.search(before)
    return bool(last) and last is not None and last.group().lower() in _GOES_ON


def _last_sentence(before: str) -> int:
    found = max(before.rfind(". "), before.rfind("? "), before.rfind("! "), before.rfind(") "))
    return found + 2 if found >= 0 else 0


def _opens_list(text: str, before: str, a: int, b: int) -> bool:
    """Whether the single blank before " - " starts a list that goes on in the same line."""
    if before.endswith((":", ";")) or (before.endswith((".", "?", "!")) and text[b + 2].isupper()):
        return True
    last = _LAST_WORD.search(before)
    if not last or last.group().lower() not in _OPENS_LIST:
        return False
    later = _LATER_MARKER.search(text, b, b + 400)
    return bool(later) and "\n" not in text[b : later.start() if later else b]
