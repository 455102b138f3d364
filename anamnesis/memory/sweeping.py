"""Deletion from the memories' file that leaves no byte of what it deleted."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from anamnesis.memory.database import Database, set_state, state


@contextmanager
def deleting(base: Database) -> Iterator[sqlite3.Connection]:
    """A transaction that deletes; then the file is written anew, without what was deleted."""
    with base.writing() as opened:
        yield opened
        due = state(opened, "sweep")
        swept = due == state(opened, "swept")
        set_state(opened, "sweep", due + 1)
    base.vacuum()
    # What others have begun to delete is theirs to sweep.
    if swept:
        with base.writing() as opened:
            set_state(opened, "swept", max(due + 1, state(opened, "swept")))
