"""The development server's own lists, written so that what is deleted is gone before it is said.

That server keeps threads, runs, crons and assistants in working memory, and writes them to
``.langgraph_api`` every ten seconds. A list that still names what was deleted brings it back when
the server is killed: it is started with the list, and takes up the runs in it again.
"""

import os
import sys
from functools import partial
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any

from anamnesis import DataFileError
from retrievers.manifest import sync

_RUNTIME = "langgraph_runtime_inmem.database"
_TRIES = 100
_writing = Lock()


def install() -> None:
    """Have the server's lists written by ``write``, whoever asks for it; once a process."""
    for kept in _kept():
        kept.sync = partial(write, kept)


def flush() -> None:
    """Have the disk hold the lists as they are now. Raises DataFileError if it does not.

    It blocks: call it from a thread.
    """
    for kept in _kept():
        try:
            write(kept)
        except OSError as error:
            raise DataFileError(
                f"it is deleted, but comes back if the server is killed now ({error}); see that "
                "the disk has room, and ask for it once more"
            ) from error


def write(kept: Any) -> None:
    """Write a dictionary to the file that it names: whole, and one writer at a time.

    What an earlier writer has read cannot take the place of what a later one reads.
    """
    path = Path(kept.filename)
    partly = path.with_name(f"{path.name}.tmp")
    with _writing:
        if not path.parent.is_dir():
            return  # the server has not started
        raw = _dumped(kept)
        with os.fdopen(os.open(partly, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
            out.write(raw)
            out.flush()
            os.fsync(out.fileno())
        partly.replace(path)
        sync(path.parent)


def _dumped(kept: Any) -> bytes:
    for _ in range(_TRIES):
        raw = BytesIO()
        try:
            kept.dump(raw)
        except RuntimeError:  # another thread has changed it meanwhile
            continue
        return raw.getvalue()
    raise OSError(f"{kept.filename} cannot be written: what it is to hold changes all the time")


def _kept() -> list[Any]:
    """The dictionaries that the server writes; none where another runtime keeps them."""
    runtime = sys.modules.get(_RUNTIME)
    if runtime is None:
        return []
    # In this order: a kill between the two counts an attempt too many rather than too few.
    return [runtime.GLOBAL_RETRY_COUNTER._counters, runtime.GLOBAL_STORE]
