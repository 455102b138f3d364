"""Allow only one writer at a time in an index folder, and clean up after an interrupted one."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from anamnesis.errors import IndexFolderError
from retrievers.kept import RESUME
from retrievers.manifest import GENERATIONS, MANIFEST, current_generation

REVIEW = "review"
"""The subfolder of the records that wait for approval; see ``retrievers.review``."""

LOCK = "lock"
_OURS = {MANIFEST, f"{MANIFEST}.new", GENERATIONS, RESUME, REVIEW, LOCK, f"{LOCK}-journal"}


@contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Create the index folder if it does not exist, and hold its lock.

    Raises IndexFolderError if another run holds it, or the folder holds other things.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        names = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    except OSError as error:
        raise IndexFolderError(f"No index can be written to {folder}: {error}") from error
    if MANIFEST not in names and not names <= _OURS:
        other = sorted(names - _OURS)[0]
        raise IndexFolderError(
            f"{folder} is not an index and is not empty (it has {other!r}). "
            "Name an empty or a new folder with --index."
        )
    # SQLite's lock works on every system, between threads as between processes, and is free
    # again when its holder dies.
    lock = sqlite3.connect(folder / LOCK, timeout=0, isolation_level=None)
    try:
        try:
            lock.execute("begin exclusive")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            raise IndexFolderError(
                f"Another run is writing the index in {folder}. Wait until it has ended, or "
                "write to another folder with --index."
            ) from error
        yield
    finally:
        lock.close()


@contextmanager
def draft_generation(folder: Path) -> Iterator[Path]:
    """A new folder in ``generations``.

    At the end, also after an error, all generations are removed except the one that the manifest
    names. A process that has a removed one open can still read it. If the system does not allow the
    removal, the files stay until the next run.
    """
    draft = folder / GENERATIONS / uuid4().hex[:12]
    draft.mkdir(parents=True)
    try:
        yield draft
    finally:
        current = current_generation(folder)
        for path in (folder / GENERATIONS).iterdir():
            if path.name != current:
                shutil.rmtree(path, ignore_errors=True)
