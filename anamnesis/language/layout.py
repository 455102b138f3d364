"""Splitting plain text into paragraphs, headings and list items, and tidying it.

Public medical texts are often flattened: lists run on in one line ("include   - Fever    - Cough"),
headings have no full stop, paragraphs are separated only by wide blanks. The rules here interpret
such blanks; ``anamnesis.language.text`` is the public interface.
"""

import re
from collections.abc import Iterator
from typing import Literal

from anamnesis.language.lexicon import listed

Break = Literal["none", "item", "paragraph"]


_BULLETS = "•▪◦●‣○■□➢►✓❖"
_CLOSERS = "\"'”’)]»"
_ENDS = (".", "!", "?", ":", ";", "…")
_LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_MARKER = re.compile(rf"[-–—*·](?=\s+\S)|[{_BULLETS}](?=\s*\S)")
_ENUMERATOR = re.compile(r"\(?(?:\d{1,2}|[a-zA-Z])[.)](?=\s+\S)")
ITEM_START = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
"""What a chat model begins a line with that is an item of its list."""
EMPHASIS = re.compile(r"\*\*|__|`|[\x00-\x08\x0b-\x1f\x7f]")
"""Signs of markup in a chat model's reply, and invisible characters but for tabs and line feeds."""
_GAP = re.compile(rf"\s{{2,}}|[{_LINE_BREAKS}]|\s(?=[{_BULLETS}]|-\s)")
_LATER_MARKER = re.compile(r"(?<!\s)\s{2,}-\s")
_LAST_WORD = re.compile(r"(?:(?<![\w'’])[\w'’]+|[^\w\s])$")
# Invisible characters: byte order marks, zero-width spaces, controls.
_INVISIBLE = re.compile("[\u200b\ufeff\u00ad\x00-\x08\x0e-\x1b\x1f\x7f]")
# A line that ends with one of these continues, whatever follows.
_GOES_ON = frozenset(
    listed("article", "demonstrative", "be", "preposition", without="those")
) | frozenset([*listed("line_goes_on"), *",([/&-"])
# After one of these a single " - " can begin a list.
_OPENS_LIST = frozenset([*listed("preposition", without="at in on"), *listed("opens_list"), ","])
_LOOK_BACK = 200  # characters of a line that the rules examine; keeps long lines linear


def breaks(text: str) -> Iterator[tuple[int, int, Break]]:
    """Every wide, line-breaking or list-beginning blank of a text, and what it separates.

    Args:
        text: A text without leading or trailing blanks.

    Yields:
        Start and end of the blank in characters, and "none" (an ordinary blank), "item" (a list
            item follows) or "paragraph" (a paragraph, heading or table row follows).
    """
    line = 0  # start of the current line
    marker_end = _marker_end(text, 0)
    for match in _GAP.finditer(text):
        a, b = match.span()
        kind: Break = "none" if a == marker_end else _classify(text, line, a, b)
        yield a, b, kind
        if kind != "none":
            line = b
            marker_end = _marker_end(text, b) if kind == "item" else -1


def tidy(text: str) -> str:
    """The same words in a readable layout.

    Runs of blanks become one; paragraphs and headings are separated by an empty line; each list
    item has a line "- item". All words are kept in order, and a tidy text is unchanged.
    """
    text = _INVISIBLE.sub(" ", text).strip()
    parts: list[str] = []
    at = 0
    item = bool(_MARKER.match(text))
    for a, b, kind in breaks(text):
        parts.append(_line(text[at:a], item))
        parts.append({"none": " ", "item": "\n", "paragraph": "\n\n"}[kind])
        item = kind == "item"
        at = b
    parts.append(_line(text[at:], item))
    return "".join(parts)


def _line(piece: str, item: bool) -> str:
    piece = " ".join(piece.split())
    if item and piece[:1] in _BULLETS + "–—*·":
        return f"- {piece[1:].lstrip()}".rstrip()
    return piece


def is_list_item(text: str) -> bool:
    """Whether a text begins with a list marker ("- ", "• ", "1. ")."""
    text = text.lstrip()
    return bool(_MARKER.match(text) or _ENUMERATOR.match(text))


def without_marker(text: str) -> str:
    """A list item's text without its leading "- ", "• " or "1. "."""
    text = text.lstrip()
    marker = _MARKER.match(text) or _ENUMERATOR.match(text)
    return text[marker.end() :].lstrip() if marker else text


def _marker_end(text: str, at: int) -> int:
    found = _MARKER.match(text, at)
    return found.end() if found else -1


def _classify(text: str, line: int, a: int, b: int) -> Break:
    gap, before, after = text[a:b], text[max(line, a - _LOOK_BACK) : a], text[b]
    newlines = len((gap + "x").splitlines()) - 1
    if _MARKER.match(text, b):
        if newlines or after in _BULLETS:
            return "item"
        if after == "-" and (len(gap) > 1 or _opens_list(text, before, b)):
            return "item"
    numbered = _ENUMERATOR.match(text, b)
    if (newlines and numbered) or _is_break(gap, newlines, before, after):
        return "item" if numbered or _MARKER.match(text, b) else "paragraph"
    return "none"


def _is_break(gap: str, newlines: int, before: str, after: str) -> bool:
    """Whether a blank separates the text before it from the text after it."""
    if newlines > 1:
        return True
    ended = before.rstrip(_CLOSERS).endswith(_ENDS)
    if newlines:
        # Otherwise the line break only wraps a line.
        return ended or not (after.islower() or len(before) >= 60 or _goes_on(before))
    if len(gap) < 3 and ended:
        return False  # two blanks after a full stop are typing, not layout
    if _goes_on(before):
        return False
    if len(gap) >= 8:
        return True  # the rows of flattened tables
    if not (after.isupper() or after in '"“' or (after == "(" and ended)):
        return False
    if len(gap) >= 3:
        return True
    # Two blanks before a capital: the end of a heading, if the text before looks like one.
    chunk = before[_last_sentence(before) :]
    return len(chunk) <= 90 and chunk[:1].isupper()


def _goes_on(before: str) -> bool:
    last = _LAST_WORD.search(before)
    word = last.group().lower() if last else ""
    return word in _GOES_ON or word.endswith(("'s", "’s"))


def _last_sentence(before: str) -> int:
    """The approximate start of the last sentence of a line."""
    ends = [before.rfind(mark) for mark in (". ", "? ", "! ", ") ", ": ")]
    return max(ends) + 2 if max(ends) >= 0 else 0


def _opens_list(text: str, before: str, b: int) -> bool:
    """Whether " - " after a single blank begins a list that continues in the same line."""
    if before.endswith(":") or (
        before.endswith((".", "?", "!", ";"))
        and text[b + 1 : b + _LOOK_BACK].lstrip()[:1].isupper()
    ):
        return True
    last = _LAST_WORD.search(before)
    if not last or last.group().lower() not in _OPENS_LIST:
        return False
    later = _LATER_MARKER.search(text, b + 1, b + 400)
    return later is not None and "\n" not in text[b : later.start()]
