"""The audit log: who did what to which object, as lines of JSON in the data folder's ``audit``.

It is append-only. Each entry has a number and the SHA-256 of the previous entry's hash and its own
text, so that altered or removed entries are detected (``app.users.audit_check``). A head file names
the last entry, so that a truncated log is detected. Entries contain no words of a patient, only
names of users, ids, counts and hashes.

``record`` is called before an action, or before its result leaves the program. An action that
cannot be recorded is refused: a log with gaps proves nothing, and an attacker could fill the disk
to hide.
"""

import getpass
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Literal, NamedTuple

from filelock import FileLock, Timeout

from anamnesis import AuditError
from app.users.audit_head import Head, folder, force, keep_name, read_head, write_head

START = "0" * 64
"""The hash used as the predecessor of the first entry."""
HEADLESS = "head missing"
"""The outcome of an entry that was written when the log had entries but no head file."""

_BYTES = 8_000_000  # of a file, before the next one is begun
_PATIENCE = 10  # seconds to wait for another process to finish an entry
_ID = re.compile(r"[0-9a-f]{8}[0-9a-f-]{0,56}")  # of threads, runs, memories, traces, tokens
_here = Lock()
_forcing = ThreadPoolExecutor(4, thread_name_prefix="audit")

Kind = Literal["user", "typed", "account", "nobody"]


class Actor(NamedTuple):
    """The person or account that acts.

    A ``user`` was authenticated, a ``typed`` name was not, an ``account`` is an operating system
    account, and ``nobody`` gave no name.
    """

    name: str
    kind: Kind


def account() -> Actor:
    """The operating system's account that runs this program."""
    try:
        return Actor(getpass.getuser(), "account")
    except (OSError, KeyError, ImportError):  # a container may have no name for it
        return Actor(f"uid {os.getuid()}" if hasattr(os, "getuid") else "unknown", "account")


def object_name(what: str, identifier: object = None) -> str:
    """An object in the log: its kind and its id.

    A value that is not an id made by the program may be a user's words and is replaced by its hash.
    """
    if identifier is None:
        return what
    text = str(identifier)
    known = text if _ID.fullmatch(text) else f"sha256-{hashed(text)[:16]}"
    return f"{what}:{known}"


def hashed(text: str) -> str:
    """The SHA-256 of a text, in hexadecimal."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def record(
    action: str, object_: str, outcome: str = "done", *, actor: Actor | None = None, **more: Any
) -> None:
    """Add an entry, and return once it is on disk.

    ``object_`` comes from ``named``; ``actor`` defaults to this program's account; ``more`` are
    counts, hashes, addresses and names of users, left out if None. Raises AuditError if the entry
    cannot be written.
    """
    with _refused():
        force(_enter(action, object_, outcome, actor, more))


def written(
    action: str, object_: str, outcome: str = "done", *, actor: Actor | None = None, **more: Any
) -> Callable[[], None]:
    """Add an entry like ``record``, and return a function that waits until it is on disk.

    Until then only a crash of the machine, not of this process, can lose it. Both raise AuditError
    if the entry cannot be written.
    """
    with _refused():
        forced = _forcing.submit(force, _enter(action, object_, outcome, actor, more))

    def wait() -> None:
        with _refused():
            forced.result()

    return wait


def _enter(
    action: str, object_: str, outcome: str, actor: Actor | None, more: Mapping[str, Any]
) -> Path:
    """Add an entry, and return the file to flush to disk."""
    known = {name: value for name, value in more.items() if value is not None}
    entry = {**_entry(actor or account(), action, object_, outcome), **known}
    with locked():
        head = read_head()
        # A crash may have prevented the head file from naming the last entries. A file shorter than
        # the head says is not repaired: ``audit verify`` reports the gap.
        while head is not None and (further := _entry_after(head)):
            head = further
        if head is None and (left := _last_of_headless()):
            head = _add(left, _entry(account(), "audit", "log", HEADLESS))
        return folder() / _add(head, entry).file


def _entry(who: Actor, action: str, object_: str, outcome: str) -> dict[str, str]:
    named = {"actor": who.name, "kind": who.kind, "action": action, "object": object_}
    return {**named, "outcome": outcome}


@contextmanager
def _refused() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise AuditError(
            f"the audit log in {folder()} cannot be written ({error}), so this is refused; make "
            "room there, or let this account write there"
        ) from error


@contextmanager
def recorded(
    action: str, object_: str, *, actor: Actor | None = None, **more: Any
) -> Iterator[None]:
    """Record a change: ``begun`` before it is made, then its outcome."""
    record(action, object_, "begun", actor=actor, **more)
    try:
        yield
    except BaseException:
        record(action, object_, "failed", actor=actor, **more)
        raise
    record(action, object_, actor=actor, **more)


@contextmanager
def locked() -> Iterator[None]:
    """Keep all other threads and processes from adding entries. Raises AuditError after 10 s."""
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(folder() / "lock", timeout=_PATIENCE, mode=0o600)
    if not _here.acquire(timeout=_PATIENCE):
        raise AuditError(f"the audit log in {folder()} is kept busy; see what else is writing it")
    try:
        with lock.acquire(poll_interval=0.001):
            yield
    except Timeout as error:
        raise AuditError(
            f"another process holds {folder() / 'lock'}; end it if it hangs, and try again"
        ) from error
    finally:
        _here.release()


def files(*more: Path) -> list[Path]:
    """The files of the log and those in the folders given, by the number of their first entry."""
    found = {path.name: path for item in (folder(), *more) for path in item.glob("[0-9]*.jsonl")}
    return [found[name] for name in sorted(found)]


def chained(previous: str, entry: Mapping[str, Any]) -> tuple[bytes, str]:
    """The line of an entry with its hash, and that hash, made from the previous hash and the
    text.
    """
    text = json.dumps(entry, sort_keys=True)
    digest = hashed(previous + text)
    return f'{text[:-1]}, "hash": "{digest}"}}\n'.encode(), digest


def entry_of(line: bytes) -> tuple[dict[str, Any], str]:
    """An entry without its hash, and the hash. Raises ValueError for an invalid entry."""
    entry = json.loads(line)
    if not isinstance(entry, dict) or not isinstance(entry.get("n"), int):
        raise ValueError("no entry")
    return entry, str(entry.pop("hash", ""))


def _add(head: Head | None, entry: Mapping[str, Any]) -> Head:
    n = head.n + 1 if head else 1
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    line, digest = chained(head.hash if head else START, {"n": n, "time": now, **entry})
    name = head.file if head and head.size < _BYTES else _name(n)
    path = folder() / name
    new = not path.exists()
    if new and head and (folder() / head.file).exists():
        force(folder() / head.file)  # of two files, the later one must not exist alone
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as out:
        out.write(line)
        out.flush()
        size = out.tell()
    if new:
        keep_name(path)
    head = Head(n=n, hash=digest, file=name, size=size)
    write_head(head)
    return head


def _entry_after(head: Head) -> Head | None:
    """The entry after the one that the head names, or None."""
    for name, start in ((head.file, head.size), (_name(head.n + 1), 0)):
        path = folder() / name
        if _size(path) <= start:
            continue
        with path.open("rb") as there:
            there.seek(start)
            line = there.readline()
        if not line.endswith(b"\n"):
            # Truncated by a crash: ``record`` had not returned, so nothing was done.
            os.truncate(path, start)
            return None
        try:
            entry, digest = entry_of(line)
        except ValueError:
            return None
        if entry["n"] != head.n + 1 or chained(head.hash, entry) != (line, digest):
            return None
        return Head(n=head.n + 1, hash=digest, file=name, size=start + len(line))
    return None


def _name(n: int) -> str:
    """The name of a file, by its first entry."""
    return f"{n:012d}.jsonl"


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _last_of_headless() -> Head | None:
    """The last complete entry of a log without a head file; None without a log."""
    for path in reversed(files()):
        end = 0
        found: Head | None = None
        for line in path.read_bytes().splitlines(keepends=True):
            end += len(line)
            try:
                entry, digest = entry_of(line)
            except ValueError:
                continue
            if line.endswith(b"\n"):
                found = Head(n=entry["n"], hash=digest, file=path.name, size=end)
        if found:
            if _size(path) > found.size:
                os.truncate(path, found.size)
            return found
    return None
