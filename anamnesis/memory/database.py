"""The SQLite file of the memories, in which deleted text is overwritten, and the audit log.

If a key is set (``anamnesis.memory.encryption``), records are encrypted, and the gist of a memory
is a keyed digest. Ids, owners, kinds and the audit log are not encrypted: they show who has
memories, but not their content.
"""

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from math import ceil
from pathlib import Path
from threading import RLock
from time import time

from anamnesis import AnamnesisError, MemoryFolderError
from anamnesis.memory.encryption import KEY, KEY_FILE, cipher
from anamnesis.memory.record import Memory

FILE = "memories.sqlite"
VERSION = 1
_FORGOTTEN = "forgotten:"
CHECK = "anamnesis"
"""A known text whose encrypted form identifies the key."""

_log = logging.getLogger(__name__)

# For threads of this process; SQLite's lock excludes other processes.
_lock = RLock()

_SCHEMA = f"""
create table memories (
    id text primary key, owner text not null, scope text not null, kind text not null,
    gist text not null, record text not null,
    unique (owner, scope, kind, gist)
);
create table state (name text primary key, value integer not null);
insert into state values ('writes', 0), ('sweep', 0);
create table audit (
    at text not null default (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    who text not null, what text not null, memory text not null
);
create trigger audit_is_not_changed before update on audit
    begin select raise(abort, 'the audit log is only added to'); end;
create trigger audit_is_not_deleted before delete on audit
    begin select raise(abort, 'the audit log is only added to'); end;
pragma user_version = {VERSION};
"""


class Database:
    """The SQLite file of a memory folder; made with the first write.

    Raises MemoryFolderError if it cannot be read or written, has a later version, or does not match
    the key that is set (unless ``checks_key`` is off).
    """

    def __init__(self, folder: Path, *, checks_key: bool = True) -> None:
        self.folder = folder
        self._checks_key = checks_key
        self.path = folder / FILE

    def exists(self) -> bool:
        """Whether anything was ever stored."""
        return self.path.exists()

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """A read-only connection; the file must exist."""
        return self._connection()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """An exclusive transaction, which is applied completely or not at all."""
        with _lock, self._connection() as base:
            base.execute("begin immediate")
            try:
                yield base
            except BaseException:
                if base.in_transaction:  # a full disk has already caused a rollback
                    base.execute("rollback")
                raise
            base.execute("commit")

    def note_forgotten(self, owner: str) -> None:
        """Note that all memories of the owner are deleted now."""
        at = ceil(time() * 1000)  # rounded up, so that no earlier run seems to have begun after it
        with self.writing() as base:
            set_state(base, _FORGOTTEN + owner, at)

    def vacuum(self) -> None:
        """Rewrite the file, so that no byte of deleted data is left in it."""
        with _lock, self._connection() as base:
            base.execute("vacuum")

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with closing(sqlite3.connect(self.path, timeout=30, isolation_level=None)) as base:
                base.execute("pragma secure_delete=on")
                base.execute("pragma temp_store=memory")
                self._check(base)
                yield base
        except AnamnesisError:
            raise
        except Exception as error:  # Chroma, called within the block, raises many kinds of errors
            raise MemoryFolderError(
                f"the memories in {self.folder} cannot be read or written "
                f"({type(error).__name__}: {error}). Make sure that the disk has room, that the "
                f"folder belongs to this account, and that the memory server, if one is set, can "
                f"be reached; a damaged folder must be restored."
            ) from error

    def _check(self, base: sqlite3.Connection) -> None:
        if version(base) == 0 and (self.folder / "vectors").exists():
            # Vectors are written only after the file is made, so the file was emptied.
            raise MemoryFolderError(
                f"{self.path} is damaged: it is empty, although there are vectors of memories. "
                f"Restore it from a copy, or delete the folder {self.folder}."
            )
        if version(base) == 0:
            base.execute("begin immediate")
            # Another process may have made it first.
            if version(base) == 0:
                _make(base)
            base.execute("commit")
        if version(base) != VERSION:
            raise MemoryFolderError(
                f"the memories in {self.folder} are of version {version(base)}, and this program "
                f"reads version {VERSION}. Use the program that wrote them."
            )
        if self._checks_key:
            _check_key(base, self.folder)


def _check_key(base: sqlite3.Connection, folder: Path) -> None:
    """Raise MemoryFolderError unless the folder's encryption matches the key that is set."""
    own, token = cipher(), key_check(base)
    if token is not None:
        if own is None:
            raise MemoryFolderError(
                f"the memories in {folder} are encrypted; set {KEY} or {KEY_FILE} to their key"
            )
        own.decrypted(token, f"what is in {folder}")
        if not own.is_first(token):
            raise MemoryFolderError(
                f"the memories in {folder} are encrypted with a key that is no longer the first; "
                "encrypt them again with `anamnesis memory rekey`"
            )
    elif own is not None:
        some = base.execute("select 1 from memories limit 1").fetchone()
        if some or has_replies(base) or has_questions(base):
            raise MemoryFolderError(
                f"a key is set, and the memories in {folder} are not encrypted; encrypt them with "
                "`anamnesis memory encrypt`, or unset the key"
            )
        set_key_check(base, own.encrypted(CHECK))


def key_check(base: sqlite3.Connection) -> str | None:
    """The token that only the right key decrypts; None in a folder that is not encrypted."""
    if not _has(base, "encryption"):
        return None
    row = base.execute("select token from encryption").fetchone()
    return None if row is None else str(row[0])


def set_key_check(base: sqlite3.Connection, token: str | None) -> None:
    """Replace this token; None: the folder is not encrypted."""
    base.execute("create table if not exists encryption (token text not null)")
    base.execute("delete from encryption")
    if token is not None:
        base.execute("insert into encryption values (?)", [token])


def has_replies(base: sqlite3.Connection) -> bool:
    """Whether the file has a table of replies (``anamnesis.memory.replies``)."""
    return _has(base, "replies")


def has_questions(base: sqlite3.Connection) -> bool:
    """Whether the file has a table of questions (``anamnesis.memory.questions``)."""
    return _has(base, "questions")


def _has(base: sqlite3.Connection, table: str) -> bool:
    listed = "select 1 from sqlite_master where type = 'table' and name = ?"
    return base.execute(listed, [table]).fetchone() is not None


def version(base: sqlite3.Connection) -> int:
    """The version of the file's tables; 0 for a new file."""
    return int(base.execute("pragma user_version").fetchone()[0])


def _make(base: sqlite3.Connection) -> None:
    # Not with executescript, which would first end the transaction.
    statement = ""
    for line in _SCHEMA.splitlines():
        statement += line + "\n"
        if sqlite3.complete_statement(statement):
            base.execute(statement)
            statement = ""


def add_to_audit(base: sqlite3.Connection, who: str, what: str, memory: str) -> None:
    """Add a line to the audit log: who did what to which memory, never its content."""
    base.execute("insert into audit (who, what, memory) values (?, ?, ?)", (who, what, memory))


def ids_of(base: sqlite3.Connection, owner: str) -> list[str]:
    """The ids of all memories of an owner."""
    return [item for (item,) in base.execute("select id from memories where owner = ?", [owner])]


def audit_of(base: sqlite3.Connection, who: str) -> list[dict[str, str]]:
    """The lines of the audit log on a user's actions, in order."""
    columns = ("at", "who", "what", "memory")
    chosen = f"select {', '.join(columns)} from audit where who = ? order by rowid"
    return [dict(zip(columns, row, strict=True)) for row in base.execute(chosen, [who])]


def state(base: sqlite3.Connection, name: str) -> int:
    """The number stored under a name, or 0.

    ``writes``: the writes so far; ``sweep``: the removals so far whose bytes must be erased;
    ``swept``: how many of these were erased.
    """
    row = base.execute("select value from state where name = ?", (name,)).fetchone()
    return int(row[0]) if row else 0


def set_state(base: sqlite3.Connection, name: str, value: int) -> None:
    """Store a number under a name."""
    base.execute("insert or replace into state values (?, ?)", (name, value))


def last_forgotten(base: sqlite3.Connection, owner: str) -> float:
    """When all memories of the owner were last deleted, in Unix seconds; 0 if they never were."""
    return state(base, _FORGOTTEN + owner) / 1000


def records(
    base: sqlite3.Connection, where: str, values: Sequence[str] = (), *, damaged: bool = True
) -> list[Memory]:
    """The memories that match an SQL condition.

    Raises MemoryFolderError if one cannot be read; without ``damaged`` that one is left out and
    logged, so that the others can still be read.
    """
    found, key = [], cipher()
    rows = base.execute(f"select id, record from memories where {where}", values)
    for item, record in rows:
        try:
            text = key.decrypted(record, f"memory {item}") if key else record
            found.append(Memory.read(text, f"memory {item}"))
        except MemoryFolderError as error:
            if damaged:
                raise
            _log.warning("%s", error)
    return found


def write(base: sqlite3.Connection, memory: Memory) -> None:
    """Add a memory, or replace the one with the same id.

    Raises sqlite3.IntegrityError if another one of its owner, scope and kind has the same gist.
    """
    key, record = cipher(), memory.model_dump_json()
    base.execute(
        "insert into memories values (?, ?, ?, ?, ?, ?)"
        " on conflict (id) do update set gist = excluded.gist, record = excluded.record",
        (
            memory.id, memory.owner, memory.scope, memory.kind, _gist(memory),
            key.encrypted(record) if key else record,
        ),
    )  # fmt: skip


def find_duplicate(base: sqlite3.Connection, memory: Memory) -> list[Memory]:
    """The memory with the same owner, scope, kind and gist, if there is one."""
    said = "owner = ? and scope = ? and kind = ? and gist = ?"
    return records(base, said, [memory.owner, memory.scope, memory.kind, _gist(memory)])


def _gist(memory: Memory) -> str:
    key = cipher()
    return key.digest(memory.gist) if key else memory.gist
