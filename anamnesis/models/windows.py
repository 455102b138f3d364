"""Divide a long text into windows at sentence boundaries, so that nothing is cut off."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from anamnesis.language.text import sentences

Count = Callable[[Sequence[str]], list[int]]
_WORD = re.compile(r"\S+\s*")


class Window(NamedTuple):
    """A part of a text, with its sentences."""

    start: int
    end: int
    sentences: tuple[tuple[int, int], ...]


def windows(text: str, room: int, count: Count) -> list[Window]:
    """Windows of at most ``room`` tokens that together contain every sentence of the text.

    Neighbouring windows share a sentence if this leaves room for a new one, so that two sentences
    that belong together are read together. A sentence longer than the room is split between words;
    a word longer than that is split inside. An empty text has no window.
    """
    spans = [(span.start, span.end) for span in sentences(text)]
    sizes = count([text[start:end] for start, end in spans])
    pieces: list[tuple[int, int, int]] = []
    for (start, end), size in zip(spans, sizes, strict=True):
        pieces += [(start, end, size)] if size <= room else _parts(text, start, end, room, count)
    made: list[Window] = []
    first = 0
    while first < len(pieces):
        last, total = first, pieces[first][2]
        while last + 1 < len(pieces) and total + pieces[last + 1][2] <= room:
            last += 1
            total += pieces[last][2]
        inside = tuple((start, end) for start, end, _ in pieces[first : last + 1])
        made.append(Window(inside[0][0], inside[-1][1], inside))
        if last + 1 == len(pieces):
            break
        fits = pieces[last][2] + pieces[last + 1][2] <= room
        first = last if fits and last > first else last + 1
    return made


def _parts(text: str, start: int, end: int, room: int, count: Count) -> list[tuple[int, int, int]]:
    """A part of the text in pieces of at most ``room`` tokens, each with its size."""
    words = [(start + m.start(), start + m.end()) for m in _WORD.finditer(text[start:end])]
    if len(words) == 1:
        middle = (start + end) // 2
        words = [(start, middle), (middle, end)] if middle > start else words
    sizes = count([text[a:b] for a, b in words])
    parts: list[tuple[int, int, int]] = []
    for (a, b), size in zip(words, sizes, strict=True):
        if size > room and b - a > 1:
            parts += _parts(text, a, b, room, count)
        elif parts and parts[-1][1] == a and parts[-1][2] + size <= room:
            parts[-1] = (parts[-1][0], b, parts[-1][2] + size)
        else:
            parts.append((a, b, size))
    return parts
