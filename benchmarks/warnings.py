"""The entries read from sentences for a profile, and the warnings: precision and recall.

    python -m benchmarks.warnings [--show]

``profile_sentences.tsv`` has sentences with the entries that a person would take from each, and
``warning_cases.tsv`` profiles, each with a statement and the entries that contradict it. Both were
written before the code, by one author. Every third case was set aside while the rules were written;
the author knew them. Intervals are bootstrap intervals over cases. ``--show`` prints errors.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from anamnesis.memory.profile import entry
from anamnesis.memory.reading import read_profile
from benchmarks.command_line import command_line
from evaluation.significance import intervals
from nodes.checking.warning import warnings

_HERE = Path(__file__).parent


class Case(NamedTuple):
    """A case: its text, and the expected and found entries, in lower case."""

    text: str
    expected: frozenset[str]
    found: frozenset[str]


def profile_cases() -> list[Case]:
    """The sentences with the entries read from them."""
    return [
        Case(said, _entries(entries), frozenset(item.text.lower() for item in read_profile(said)))
        for said, entries in _rows("profile_sentences.tsv")
    ]


def warning_cases() -> list[Case]:
    """The statements with the entries that cause warnings."""
    today = datetime.now(UTC)
    found = []
    for item, statement, entries in _rows("warning_cases.tsv"):
        profile = [entry(one) for one in item.split(";")]
        warned = frozenset(one["entry"].lower() for one in warnings(statement, profile, today))
        found.append(Case(f"{item} | {statement}", _entries(entries), warned))
    return found


def measured(cases: Sequence[Case]) -> dict[str, float]:
    """Precision and recall of the entries; undefined values are left out."""
    right = sum(len(case.expected & case.found) for case in cases)
    found = sum(len(case.found) for case in cases)
    there = sum(len(case.expected) for case in cases)
    figures = {"precision": (right, found), "recall": (right, there)}
    return {name: part / whole for name, (part, whole) in figures.items() if whole}


def _rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in (_HERE / name).read_text("utf-8").splitlines()[1:]]


def _entries(text: str) -> frozenset[str]:
    return frozenset(one.strip().lower() for one in text.split(";") if one.strip())


def main() -> None:
    options = command_line(__doc__)
    options.add_argument("--show", action="store_true")
    show = options.parse_args().show
    every: dict[str, Callable[[], list[Case]]] = {
        "profile": profile_cases,
        "warnings": warning_cases,
    }
    for name, make in every.items():
        cases = make()
        for part, some in (
            ("seen", [case for place, case in enumerate(cases) if place % 3 != 2]),
            ("held aside", cases[2::3]),
        ):
            found = intervals(
                lambda rows, picked=some: measured([picked[n] for n in rows]), len(some)
            )
            shares = ", ".join(
                f"{figure} {one.mean:.3f} [{one.low:.3f}, {one.high:.3f}]"
                for figure, one in found.items()
            )
            entries = sum(len(case.expected) for case in some)
            print(f"{name}, {part}: {shares} ({entries} entries in {len(some)} cases)")
            for case in some if show else ():
                if case.expected != case.found:
                    lacks, more = case.expected - case.found, case.found - case.expected
                    print(f"  {case.text} | lacks {sorted(lacks)} | more {sorted(more)}")


if __name__ == "__main__":
    main()
