"""How often each run was started: a run during which the server stops every time is given up.

The development server restarts runs that a crash interrupted, but writes their number of attempts
only every ten seconds. Here each start is written to disk, in ``runs.sqlite`` of the data folder,
before the run does anything. A finished run is never restarted, so its end is not recorded.
"""

import logging
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from anamnesis import DataFileError, RunError
from anamnesis.limits import limits
from anamnesis.paths import home

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

    from nodes.settings.context import Context

_log = logging.getLogger(__name__)
_KEPT = 7 * 86_400  # seconds that a start is kept

_here: set[str] = set()  # the runs that this process has begun
_lock = Lock()


def runs_file() -> Path:
    """The file of the starts: ids of runs and numbers, no texts."""
    return home() / "runs.sqlite"


def note_start(runtime: "Runtime[Context]") -> None:
    """Record the start of a run of the server, once per process.

    Raises RunError if the run has used up its starts without ending, and DataFileError if the file
    cannot be written.
    """
    info = runtime.execution_info
    # Only the server restarts runs by itself.
    if runtime.server_info is None or info is None or not info.run_id:
        return
    run = str(info.run_id)
    with _lock:
        if run in _here:
            return
        _here.add(run)
        before = _count(run)
    if before >= limits().run_attempts:
        raise RunError(
            f"the run was given up: it was started {before} times, and each time the server "
            "stopped during it; ask in other words and tell the operator. The reason is in the log"
        )


def forgive() -> None:
    """Delete the starts of this process when its operator stops it: no run is to blame."""
    with _lock, _opened() as base:
        base.executemany("delete from starts where run = ?", [(run,) for run in _here])
        _here.clear()


def _count(run: str) -> int:
    """The number of earlier starts of the run; this start is added."""
    try:
        try:
            return _counted(run)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:  # by a crash; only counts are lost
            _log.error("%s is damaged (%s); starts are counted from zero", runs_file(), error)
            runs_file().unlink(missing_ok=True)
            return _counted(run)
    except (OSError, sqlite3.Error) as error:
        raise DataFileError(
            f"{runs_file()} cannot be written ({error}), so no run begins; make sure that the "
            f"disk has room and that the file is this account's"
        ) from error


def _counted(run: str) -> int:
    now = time.time()
    with _opened() as base:
        base.execute("delete from starts where last < ?", (now - _KEPT,))
        found = base.execute("select times from starts where run = ?", (run,)).fetchone()
        base.execute(
            "insert into starts values (?, 1, ?) "
            "on conflict (run) do update set times = times + 1, last = excluded.last",
            (run, now),
        )
    return int(found[0]) if found else 0


@contextmanager
def _opened() -> Iterator[sqlite3.Connection]:
    path = runs_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    with closing(sqlite3.connect(path, timeout=30)) as base, base:
        # A crash of the process loses nothing that is written, so there is no need to flush.
        base.execute("pragma synchronous = off")
        base.execute(
            "create table if not exists starts (run text primary key, times integer, last real)"
        )
        yield base
