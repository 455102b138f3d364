"""Write the development server's lists to disk before a deletion is confirmed.

That server keeps threads, runs, crons and assistants in working memory, and writes them to
``.langgraph_api`` every ten seconds. If the server is killed, a list that still names deleted
objects would restore them: the server starts with the list, and resumes the runs in it.
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
    """Make the server write its lists with ``write``; call once per process."""
    for kept in _kept():
        kept.sync = partial(write, kept)


def flush() -> None:
    """Write the current lists to disk. Raises DataFileError if that fails.

    Blocks: call it from a thread.
    """
    for kept in _kept():
        try:
            write(kept)
        except OSError as error:
            raise DataFileError(
                f"it is deleted, but comes back if the server is killed now ({error}); make sure "
                f"that the disk has room, and send the request again"
            ) from error


def write(kept: Any) -> None:
    """Write a dictionary to its file, atomically and by one writer at a time.

    An earlier writer's data cannot overwrite that of a later one.
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
        except RuntimeError:  # another thread changed it in the meantime
            continue
        return raw.getvalue()
    raise OSError(f"{kept.filename} cannot be written: its content changes all the time")


def _kept() -> list[Any]:
    """The dictionaries that the server writes; none with another runtime."""
    runtime = sys.modules.get(_RUNTIME)
    if runtime is None:
        return []
    # In this order a kill between the two counts one attempt too many rather than one too few.
    return [runtime.GLOBAL_RETRY_COUNTER._counters, runtime.GLOBAL_STORE]
