"""Deletion from the memories' file that erases every byte of the deleted data."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from anamnesis.memory.database import Database, set_state, state


@contextmanager
def deleting(base: Database) -> Iterator[sqlite3.Connection]:
    """A transaction that deletes; then the file is rewritten without the deleted data."""
    with base.writing() as opened:
        yield opened
        due = state(opened, "sweep")
        swept = due == state(opened, "swept")
        set_state(opened, "sweep", due + 1)
    base.vacuum()
    # Other processes sweep what they have deleted.
    if swept:
        with base.writing() as opened:
            set_state(opened, "swept", max(due + 1, state(opened, "swept")))
