"""Encrypt or decrypt a memory folder, or encrypt it with another key [H10]."""

import sqlite3
from pathlib import Path
from typing import Literal

from anamnesis.errors import MemoryFolderError, SettingError
from anamnesis.memory.database import CHECK, Database, has_replies_table, key_token, set_key_token
from anamnesis.memory.encryption import KEY, KEY_FILE, Cipher, cipher
from anamnesis.memory.questions import reseal_questions
from anamnesis.memory.record import Memory

Change = Literal["encrypt", "decrypt", "rekey"]


def reseal(folder: Path, change: Change) -> int:
    """Encrypt or decrypt everything in the folder; return the number of memories and replies.

    Everything is changed in one transaction, and then the file is rewritten, so that it contains no
    byte of the former texts or tokens. Raises SettingError if no key is set, and MemoryFolderError
    if there is nothing to change or the key is not the folder's.
    """
    encryption = cipher()
    if encryption is None:
        raise SettingError(f"no key is set; set {KEY} or {KEY_FILE}")
    base = Database(folder, checks_key=False)
    if not base.exists():
        raise MemoryFolderError(f"{folder} contains no memories, so nothing needs to be changed")
    with base.writing() as opened:
        token = key_token(opened)
        if (token is None) != (change == "encrypt"):
            kept = "not encrypted" if token is None else "encrypted"
            raise MemoryFolderError(f"the memories in {folder} are {kept} already")
        if token is not None:
            encryption.decrypted(token, f"what is in {folder}")
        before = encryption if token is not None else None
        after = None if change == "decrypt" else encryption
        number = sum(
            change(opened, before, after) for change in (_memories, _replies, reseal_questions)
        )
        set_key_token(opened, after.encrypted(CHECK) if after else None)
    base.vacuum()
    return number


def _memories(base: sqlite3.Connection, before: Cipher | None, after: Cipher | None) -> int:
    rows = base.execute("select id, record from memories").fetchall()
    for item, record in rows:
        text = before.decrypted(record, f"memory {item}") if before else record
        key = Memory.read(text, f"memory {item}").content_key
        new = (after.digest(key), after.encrypted(text)) if after else (key, text)
        base.execute("update memories set gist = ?, record = ? where id = ?", [*new, item])
    return len(rows)


def _replies(base: sqlite3.Connection, before: Cipher | None, after: Cipher | None) -> int:
    if not has_replies_table(base):
        return 0
    rows = base.execute("select key, reply from replies").fetchall()
    for key, reply in rows:
        text = before.decrypted(reply, "a kept reply") if before else reply
        new = after.encrypted(text) if after else text
        base.execute("update replies set reply = ? where key = ?", [new, key])
    return len(rows)
