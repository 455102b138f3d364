"""Cached replies of models for a user, so that no call is paid for twice [H7].

They are stored in the file of the memories. Deleting any data of a user deletes all of the user's
cached replies in the same transaction. Only a hash of the prompt is stored.
"""

import sqlite3
from math import ceil
from pathlib import Path
from time import time

from anamnesis.memory.database import Database, has_replies_table, last_forgotten, set_state, state
from anamnesis.memory.encryption import cipher
from anamnesis.memory.sweeping import deleting

_DELETED = "replies deleted:"
_TABLE = (
    "create table if not exists replies"
    " (key text primary key, owner text not null, until integer not null, reply text not null)"
)
_DAY = 24 * 3600


def find(base: Database, key: str) -> str | None:
    """The reply stored under a key; None if it is missing or has expired."""
    if not base.exists():
        return None
    with base.reading() as opened:
        if not has_replies_table(opened):
            return None
        chosen = "select reply from replies where key = ? and until > ?"
        row = opened.execute(chosen, [key, int(time())]).fetchone()
    if row is None:
        return None
    encryption = cipher()
    return encryption.decrypted(row[0], "a kept reply") if encryption else str(row[0])


def keep(base: Database, owner: str, key: str, reply: str, requested_at: float, days: int) -> None:
    """Store a reply to a run of the owner for some days, and delete expired replies.

    Nothing is stored for a run ``requested_at`` a time (in Unix seconds) before a deletion.
    """
    now, encryption = int(time()), cipher()
    reply = encryption.encrypted(reply) if encryption else reply
    with base.writing() as opened:
        deleted = max(
            last_forgotten(opened, owner),
            *(state(opened, _DELETED + item) / 1000 for item in (owner, "")),
        )
        if requested_at <= deleted:
            return
        opened.execute(_TABLE)
        opened.execute("delete from replies where until <= ?", [now])
        opened.execute(
            "insert or replace into replies values (?, ?, ?, ?)",
            [key, owner, now + days * _DAY, reply],
        )


def delete(base: sqlite3.Connection, owner: str | None) -> int:
    """Delete the replies of one or all users and return their number; the file must be swept."""
    set_state(base, _DELETED + (owner or ""), ceil(time() * 1000))
    if not has_replies_table(base):
        return 0
    which = ("", []) if owner is None else (" where owner = ?", [owner])
    return base.execute(f"delete from replies{which[0]}", which[1]).rowcount


def expire(base: Database) -> None:
    """Delete expired replies."""
    if not base.exists():
        return
    past = "from replies where until <= ?"
    now = [int(time())]
    with base.reading() as opened:
        some = f"select 1 {past} limit 1"
        if not has_replies_table(opened) or not opened.execute(some, now).fetchone():
            return
    with base.writing() as opened:
        opened.execute(f"delete {past}", now)


def forget_replies(folder: Path, owner: str | None) -> int:
    """Delete the cached replies of a user, or of all users, and return their number.

    Afterwards no byte of them is left in the folder, and a run that began earlier stores none.
    Raises MemoryFolderError if the folder cannot be used.
    """
    with deleting(Database(folder)) as opened:
        return delete(opened, owner)
