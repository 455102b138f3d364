"""Check that the audit log is complete: the hash of each entry, the numbers, and the end.

The hashes use no secret: whoever may write to the folder can make another consistent log. An anchor
(the number and hash of an entry, stored elsewhere) or a head file on another disk proves the
earlier content.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from anamnesis import AuditError, SettingError
from app.users.audit import HEADLESS, START, chained, entry_of, files, locked
from app.users.audit_head import head_file, read_head

_ANCHOR = re.compile(r"([1-9][0-9]{0,14}):([0-9a-f]{64})")


class Anchor(NamedTuple):
    """The number and the hash of an entry."""

    n: int
    hash: str

    def __str__(self) -> str:
        return f"{self.n}:{self.hash}"


class Report(NamedTuple):
    """The number of entries, the last entry, and the first problem, if any."""

    entries: int
    last: Anchor | None
    problem: str | None


def anchor_of(text: str) -> Anchor:
    """The anchor written as ``NUMBER:HASH``. Raises SettingError for anything else."""
    found = _ANCHOR.fullmatch(text)
    if not found:
        raise SettingError(
            f"an anchor is NUMBER:HASH as 'anamnesis audit verify' printed it, not {text!r}"
        )
    return Anchor(int(found[1]), found[2])


def entries(archives: Sequence[Path] = ()) -> Iterator[dict[str, Any]]:
    """All readable entries, oldest first, without their hashes."""
    for line in _lines(dict.fromkeys(files(*archives))):
        # ``verify`` reports unreadable entries.
        with suppress(ValueError):
            yield entry_of(line.text)[0]


def verify(archives: Sequence[Path] = (), anchor: Anchor | None = None) -> Report:
    """Check the log, including files that were moved to the folders of ``archives``.

    Entries up to that of an ``anchor`` were checked when it was noted: a missing head file before
    then is not reported. Raises AuditError if the log cannot be read.
    """
    try:
        with locked():
            # Entries added while this reads are not checked.
            head = read_head()
            there: dict[Path, int | None] = {item: item.stat().st_size for item in files(*archives)}
    except OSError as error:
        raise AuditError(f"the audit log cannot be read: {error}") from error
    named = {anchor.n: (anchor.hash, "the anchor")} if anchor else {}
    if head:
        named[head.n] = (head.hash, f"the head file {head_file()}")
    if anchor and named[anchor.n][0] != anchor.hash:
        named[anchor.n] = (anchor.hash, "the anchor")
    last, headless, count = Anchor(0, START), 0, 0

    def report(problem: str | None) -> Report:
        return Report(count, last if last.n else None, problem)

    for line in _lines(there):
        n, digest, wrong, outcome = _checked(line.text, last)
        if not wrong and named.get(n, (digest, ""))[0] != digest:
            wrong = f"entry {n} is not the one that {named[n][1]} names"
        if wrong:
            return report(f"{wrong}: {line.path}, line {line.number}")
        if outcome == HEADLESS and not headless and (anchor is None or n > anchor.n):
            headless = n
        last, count = Anchor(n, digest), count + 1
    if beyond := [n for n in named if n > last.n]:
        n = max(beyond)
        return report(f"missing: entries from {last.n + 1} on; {named[n][1]} names entry {n}")
    if headless:
        return report(
            f"there was no head file before entry {headless}: entries just before it may be missing"
        )
    if count and head is None:
        return report(f"missing: the head file {head_file()}; the last entries may be as well")
    return report(None)


def _checked(text: bytes, last: Anchor) -> tuple[int, str, str, Any]:
    """The number and the hash of an entry, its problem, if any, and its outcome."""
    due = last.n + 1
    try:
        entry, digest = entry_of(text)
    except ValueError:
        return due, "", f"entry {due} cannot be read", None
    n = entry["n"]
    wrong = ""
    if n > due:
        wrong = f"missing: entry {due}" + (f" to {n - 1}" if n - 1 > due else "") + ", before"
    elif n < due:
        wrong = f"entry {n} is in the place of entry {due}"
    elif chained(last.hash, entry) != (text, digest):
        wrong = f"entry {n} is altered, or the one before it was"
    return n, digest, wrong, entry.get("outcome")


class _Line(NamedTuple):
    path: Path
    number: int
    text: bytes


def _lines(sizes: Mapping[Path, int | None]) -> Iterator[_Line]:
    """The lines of files, each up to a number of bytes, or all of it."""
    for path, size in sizes.items():
        try:
            with path.open("rb") as there:
                read = 0
                for number, text in enumerate(there, 1):
                    read += len(text)
                    if size is not None and read > size:
                        break
                    yield _Line(path, number, text)
        except OSError as error:
            raise AuditError(f"{path} cannot be read: {error}; let this account read it") from error
