"""What redaction finds, and what it replaces that identifies nobody.

    python -m benchmarks.redaction [--show]

200 sentences, written before the rules: 100 with what identifies in braces, 100 of medicine alone,
with eponyms, doses and days on which something began. Every other sentence was held aside while
the rules were written. ``--show`` prints what is wrong in the others.
"""

import argparse
import re
from pathlib import Path
from typing import NamedTuple

from models.identifying import identifying

SENTENCES = Path(__file__).parent / "redaction_sentences.txt"
_MARKED = re.compile(r"\{([^}]*)\}")


class Measured(NamedTuple):
    """``found`` of ``there`` details; ``wrong`` replacements in ``clean`` sentences without any.

    ``more`` is what was replaced beside the details of a sentence that has some.
    """

    there: int
    found: int
    clean: int
    wrong: int
    more: int


def sentences(held: bool) -> list[tuple[str, list[tuple[int, int]]]]:
    """The sentences of a half, each with the places of what identifies in it."""
    told = []
    for line in SENTENCES.read_text("utf-8").splitlines()[int(held) :: 2]:
        places, removed = [], 0
        for mark in _MARKED.finditer(line):
            start = mark.start() - removed
            places.append((start, start + len(mark[1])))
            removed += 2
        told.append((_MARKED.sub(r"\1", line), places))
    return told


def measured(held: bool, show: bool = False) -> Measured:
    """The figures of a half. A detail counts as found when no character of it is left."""
    there = found = clean = wrong = more = 0
    for text, places in sentences(held):
        hidden = [(start, end) for start, end, _, _ in identifying(text)]
        gone = {place for start, end in hidden for place in range(start, end)}
        right = [own for own in places if gone.issuperset(range(*own))]
        beside = [
            own
            for own in hidden
            if not any(own[0] < end and start < own[1] for start, end in places)
        ]
        there, found = there + len(places), found + len(right)
        clean, wrong = clean + (not places), wrong + (len(beside) if not places else 0)
        more += len(beside) if places else 0
        if show and (len(right) < len(places) or beside):
            print("  ", text, "|", [text[s:e] for s, e in hidden])
    return Measured(there, found, clean, wrong, more)


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--show", action="store_true")
    show = options.parse_args().show
    for held, name in ((False, "seen"), (True, "held aside")):
        own = measured(held, show and not held)
        print(
            f"{name}: recall {own.found / own.there:.3f} ({own.found} of {own.there} details), "
            f"{own.wrong} false replacements in {own.clean} sentences without any, "
            f"{own.more} beside the details of the others"
        )


if __name__ == "__main__":
    main()
