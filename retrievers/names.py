"""The names in facts: which facts name the things that a text names [K7].

Vectors do not show that 'fever' is pyrexia, so a name and its aliases are matched word by word.
"""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from anamnesis.language.names import longest_names, name_key, name_word, name_words
from anamnesis.language.text import tokenize
from anamnesis.language.words import STOP_WORDS
from anamnesis.models.once import loaded_once

FILES = ("names", "name_starts", "name_places")

_PARENTHESIS = re.compile(r"(?<!\s)\s*+\(([^()]*)\)")


def keys(name: str) -> set[str]:
    """All forms (see ``name_key``) in which a text may name it.

    'Rhinitis, allergic' is found as 'allergic rhinitis', 'Coronary artery disease (cad)' without
    its parenthesis and as 'cad'. A name that consists only of function words has no form.
    """
    bare = _PARENTHESIS.sub("", name).strip(" ,")
    parts = [part for part in bare.split(", ") if part]
    found = {name_key(name), name_key(bare), name_key(" ".join(reversed(parts)))}
    initials = "".join(word[0] for word in tokenize(bare))
    found |= {
        name_key(short) for short in _PARENTHESIS.findall(name) if short.casefold() == initials
    }
    return {item for item in found if any(word not in STOP_WORDS for word in item.split())}


class NameIndex:
    """The facts that have a name, on disk. A place is twice the fact's number, plus 1 for its tail.

    Safe to use from several threads.
    """

    def __init__(self, folder: Path) -> None:
        """Open what ``write_names`` wrote into ``folder``; OSError or ValueError if it is not."""
        self._text, self._starts, self._places = (
            np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False))
            for name in FILES
        )

    def named(self, text: str) -> list[npt.NDArray[np.int32]]:
        """For each name in the text its places, ascending. If a name contains another, the longer
        one counts.
        """
        numbers = self._numbers
        found = {name: 0 for _, _, name in longest_names(name_words(text), numbers, self._longest)}
        return [
            np.asarray(self._places[self._starts[number] : self._starts[number + 1]])
            for number in map(numbers.__getitem__, found)
        ]

    def has_word(self, word: str) -> bool:
        """Whether a lower-case word is, or is part of, a name."""
        return name_word(word) in self._words

    @loaded_once
    def _words(self) -> set[str]:
        return {word for name in self._numbers for word in name.split()}

    @loaded_once
    def _longest(self) -> int:
        return max((name.count(" ") + 1 for name in self._numbers), default=0)

    @loaded_once
    def _numbers(self) -> dict[str, int]:
        text = self._text.tobytes().decode("utf-8")
        return {name: number for number, name in enumerate(text.split("\n") if text else [])}


def places_of(facts: Iterable[Sequence[Sequence[str]]]) -> Iterator[tuple[str, int]]:
    """Each form of the names of every fact's head and tail, with its place, in the order of
    places.
    """
    for number, sides in enumerate(facts):
        for side, names in enumerate(sides[:2]):
            for item in sorted({form for name in names for form in keys(name)}):
                yield item, 2 * number + side


def write_names(facts: Iterable[Sequence[Sequence[str]]], folder: Path) -> None:
    """Write the names of facts into ``folder``: for each fact those of its head and its tail."""
    places: dict[str, array[int]] = {}
    for name, place in places_of(facts):
        places.setdefault(name, array("i")).append(place)
    names = sorted(places)
    starts = np.cumsum([0, *(len(places[name]) for name in names)], dtype=np.int64)
    joined = [np.frombuffer(places[name], np.int32) for name in names]
    contents: tuple[npt.NDArray[np.generic], ...] = (
        np.frombuffer("\n".join(names).encode("utf-8"), np.uint8),
        starts,
        np.concatenate(joined) if joined else np.empty(0, np.int32),
    )
    for name, content in zip(FILES, contents, strict=True):
        np.save(folder / f"{name}.npy", content, allow_pickle=False)
