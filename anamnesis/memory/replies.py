"""Replies of models that are kept for a user, so that nothing is asked for twice [H7].

They lie with the memories, in the same file, and go as these go: a deletion of anything that is
kept of a user deletes all of their replies, in the same transaction. Nothing but a hash is kept of
what was asked.
"""

import sqlite3
from math import ceil
from pathlib import Path
from time import time

from anamnesis.memory.database import Database, has_replies, last_forgotten, set_state, state
from anamnesis.memory.encryption import cipher
from anamnesis.memory.sweeping import deleting

_DELETED = "replies deleted:"
_TABLE = (
    "create table if not exists replies"
    " (key text primary key, owner text not null, until integer not null, reply text not null)"
)
_DAY = 24 * 3600


def find(base: Database, key: str) -> str | None:
    """What is kept under a key; None where nothing is, or was for long enough."""
    if not base.exists():
        return None
    with base.reading() as opened:
        if not has_replies(opened):
            return None
        chosen = "select reply from replies where key = ? and until > ?"
        row = opened.execute(chosen, [key, int(time())]).fetchone()
    if row is None:
        return None
    own = cipher()
    return own.opened(row[0], "a kept reply") if own else str(row[0])


def keep(base: Database, owner: str, key: str, reply: str, begun: float, days: int) -> None:
    """Keep a reply to a run of the owner's for some days; what was kept for long enough goes.

    Nothing is kept of a run that had ``begun``, in Unix seconds, when something was deleted.
    """
    now, own = int(time()), cipher()
    reply = own.sealed(reply) if own else reply
    with base.writing() as opened:
        deleted = max(
            last_forgotten(opened, owner),
            *(state(opened, _DELETED + own) / 1000 for own in (owner, "")),
        )
        if begun <= deleted:
            return
        opened.execute(_TABLE)
        opened.execute("delete from replies where until <= ?", [now])
        opened.execute(
            "insert or replace into replies values (?, ?, ?, ?)",
            [key, owner, now + days * _DAY, reply],
        )


def delete(base: sqlite3.Connection, owner: str | None) -> int:
    """Delete the replies of a user, or of all; how many comes back. The file is to be swept."""
    set_state(base, _DELETED + (owner or ""), ceil(time() * 1000))
    if not has_replies(base):
        return 0
    which = ("", []) if owner is None else (" where owner = ?", [owner])
    return base.execute(f"delete from replies{which[0]}", which[1]).rowcount


def expire(base: Database) -> None:
    """Delete what has been kept for long enough."""
    if not base.exists():
        return
    past = "from replies where until <= ?"
    now = [int(time())]
    with base.reading() as opened:
        if (
            not has_replies(opened)
            or not opened.execute(f"select 1 {past} limit 1", now).fetchone()
        ):
            return
    with base.writing() as opened:
        opened.execute(f"delete {past}", now)


def forget_replies(folder: Path, owner: str | None) -> int:
    """Delete the replies that are kept of a user, or of all; how many comes back.

    After it no byte of them is left in the folder, and nothing is kept of a run that has begun
    before. Raises MemoryFolderError if the folder cannot be used.
    """
    with deleting(Database(folder)) as opened:
        return delete(opened, owner)
