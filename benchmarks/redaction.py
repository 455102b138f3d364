"""What redaction finds, and what it replaces although it identifies nobody.

    python -m benchmarks.redaction [--show]

200 sentences, written before the rules: 100 with identifying details in braces, 100 purely medical,
with eponyms, doses and days of onset. Every other sentence was set aside while the rules were
written; but both have the same author. So 60 more, harder sentences were written when the rules
were finished, and rules were extended with them; then the last 40, for which no rule was changed.
``--show`` prints errors.
"""

import re
from pathlib import Path
from typing import NamedTuple

from anamnesis.models.identifying import identifying
from benchmarks.command_line import command_line

_HERE = Path(__file__).parent
PARTS = {
    "seen": (_HERE / "redaction_sentences.txt", slice(0, None, 2)),
    "held aside": (_HERE / "redaction_sentences.txt", slice(1, None, 2)),
    "harder": (_HERE / "redaction_harder.txt", slice(0, None)),
    "last": (_HERE / "redaction_last.txt", slice(0, None)),
}
_MARKED = re.compile(r"\{([^}]*)\}")


class RedactionFigures(NamedTuple):
    """``found`` of ``there`` details; ``wrong`` replacements in ``clean`` sentences without any.

    ``more`` counts further replacements in sentences with details.
    """

    there: int
    found: int
    clean: int
    wrong: int
    more: int


def sentences(part: str) -> list[tuple[str, list[tuple[int, int]]]]:
    """The sentences of a part, each with the ranges of its identifying details."""
    found = []
    file, chosen = PARTS[part]
    for line in file.read_text("utf-8").splitlines()[chosen]:
        places, removed = [], 0
        for mark in _MARKED.finditer(line):
            start = mark.start() - removed
            places.append((start, start + len(mark[1])))
            removed += 2
        found.append((_MARKED.sub(r"\1", line), places))
    return found


def measured(part: str, show: bool = False) -> RedactionFigures:
    """The figures of a part. A detail is found if none of its characters is left."""
    there = found = clean = wrong = more = 0
    for text, places in sentences(part):
        hidden = [(start, end) for start, end, _, _ in identifying(text)]
        gone = {place for start, end in hidden for place in range(start, end)}
        right = [item for item in places if gone.issuperset(range(*item))]
        others = [
            item
            for item in hidden
            if not any(item[0] < end and start < item[1] for start, end in places)
        ]
        there, found = there + len(places), found + len(right)
        clean, wrong = clean + (not places), wrong + (len(others) if not places else 0)
        more += len(others) if places else 0
        if show and (len(right) < len(places) or others):
            print("  ", text, "|", [text[s:e] for s, e in hidden])
    return RedactionFigures(there, found, clean, wrong, more)


def main() -> None:
    options = command_line(__doc__)
    options.add_argument("--show", action="store_true")
    show = options.parse_args().show
    for name in PARTS:
        figures = measured(name, show)
        print(
            f"{name}: recall {figures.found / figures.there:.3f} ({figures.found} of "
            f"{figures.there} details), "
            f"{figures.wrong} false replacements in {figures.clean} sentences without any, "
            f"{figures.more} in addition to the details in the others"
        )


if __name__ == "__main__":
    main()
