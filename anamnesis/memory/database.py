"""The SQLite file of the memories and of the audit log; deleted text is overwritten in it.

If a key is set (``anamnesis.memory.encryption``), records are encrypted, and the digest by which
duplicates are recognised (``Memory.content_key``, in the column ``gist``) is keyed. Ids, owners,
kinds and the audit log are not encrypted: they show who has memories, but not their content.
"""

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
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
_lock = RLock()  # for threads of this process; SQLite's lock excludes other processes

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
    """The SQLite file of a memory folder; made when it is first opened, even for reading.

    Its methods raise MemoryFolderError if the file cannot be read or written, has another version,
    was emptied, or does not match the key that is set (unless ``checks_key`` is off).
    """

    def __init__(self, folder: Path, *, checks_key: bool = True) -> None:
        self.folder = folder
        self._checks_key = checks_key
        self.path = folder / FILE

    def exists(self) -> bool:
        """Whether the file exists."""
        return self.path.exists()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that refuses to write; a missing file is made first."""
        with self._connection() as connection:
            connection.execute("pragma query_only=on")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction, one at a time, applied completely or not at all; others may read."""
        with _lock, self._connection() as connection:
            connection.execute("begin immediate")
            try:
                yield connection
            except BaseException:
                # SQLite has already rolled back if, for example, the disk is full.
                if connection.in_transaction:
                    connection.execute("rollback")
                raise
            connection.execute("commit")

    def note_forgotten(self, owner: str) -> None:
        """Note that all memories of the owner are deleted now."""
        # Rounded up, so that no run that began before the deletion seems to have begun after it.
        at = ceil(time() * 1000)
        with self.writing() as connection:
            set_state(connection, _FORGOTTEN + owner, at)

    def vacuum(self) -> None:
        """Rewrite the file, so that no byte of deleted data is left in it."""
        with _lock, self._connection() as connection:
            connection.execute("vacuum")

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            opened = sqlite3.connect(self.path, timeout=30, isolation_level=None)
            with closing(opened) as connection:
                connection.execute("pragma secure_delete=on")
                connection.execute("pragma temp_store=memory")
                self._prepare(connection)
                yield connection
        except AnamnesisError:
            raise
        except Exception as error:  # of many kinds: callers use Chroma in the ``with``
            raise MemoryFolderError(
                f"the memories in {self.folder} cannot be read or written "
                f"({type(error).__name__}: {error}). Make sure that the disk has room, that the "
                f"folder belongs to this account, and that the memory server, if one is set, can "
                f"be reached; a damaged folder must be restored from a copy."
            ) from error

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the tables of a new file; raise MemoryFolderError if the file cannot be used."""
        if version(connection) == 0 and (self.folder / "vectors").exists():
            # Vectors are written only after the file is made, so the file was emptied.
            raise MemoryFolderError(
                f"{self.path} is damaged: it is empty, although there are vectors of memories. "
                f"Restore it from a copy, or delete the folder {self.folder}."
            )
        if version(connection) == 0:
            connection.execute("begin immediate")
            if version(connection) == 0:  # another process may have made them first
                _make(connection)
            connection.execute("commit")
        if version(connection) != VERSION:
            raise MemoryFolderError(
                f"the memories in {self.folder} are of version {version(connection)}, and this "
                f"program reads version {VERSION}. Use the program that wrote them."
            )
        if self._checks_key:
            _check_key(connection, self.folder)


def _check_key(connection: sqlite3.Connection, folder: Path) -> None:
    """Raise MemoryFolderError unless the folder is encrypted with the key that is set (or not at
    all if none is set). An empty folder is bound to that key.
    """
    encryption, token = cipher(), key_token(connection)
    if token is not None:
        if encryption is None:
            raise MemoryFolderError(
                f"the memories in {folder} are encrypted; set {KEY} or {KEY_FILE} to their key"
            )
        encryption.decrypted(token, f"what is in {folder}")  # raises if no key decrypts it
        if not encryption.is_first(token):
            raise MemoryFolderError(
                f"the memories in {folder} are encrypted with an older key of {KEY_FILE}, not "
                "with the first one; encrypt them again with `anamnesis memory rekey`"
            )
    elif encryption is not None:
        some = connection.execute("select 1 from memories limit 1").fetchone()
        if some or has_replies_table(connection) or has_questions_table(connection):
            raise MemoryFolderError(
                f"a key is set, and the memories in {folder} are not encrypted; encrypt them with "
                "`anamnesis memory encrypt`, or unset the key"
            )
        # Nothing is stored yet: from now on the folder is encrypted with this key.
        set_key_token(connection, encryption.encrypted(CHECK))


def key_token(connection: sqlite3.Connection) -> str | None:
    """The token that only the right key decrypts; None in a folder that is not encrypted."""
    if not _has(connection, "encryption"):
        return None
    row = connection.execute("select token from encryption").fetchone()
    return None if row is None else str(row[0])


def set_key_token(connection: sqlite3.Connection, token: str | None) -> None:
    """Store the token that only the right key decrypts; None: the folder is not encrypted."""
    connection.execute("create table if not exists encryption (token text not null)")
    connection.execute("delete from encryption")
    if token is not None:
        connection.execute("insert into encryption values (?)", [token])


def has_replies_table(connection: sqlite3.Connection) -> bool:
    """Whether the file has a table of replies (``anamnesis.memory.replies``)."""
    return _has(connection, "replies")


def has_questions_table(connection: sqlite3.Connection) -> bool:
    """Whether the file has a table of questions (``anamnesis.memory.questions``)."""
    return _has(connection, "questions")


def _has(connection: sqlite3.Connection, table: str) -> bool:
    listed = "select 1 from sqlite_master where type = 'table' and name = ?"
    return connection.execute(listed, [table]).fetchone() is not None


def version(connection: sqlite3.Connection) -> int:
    """The version of the file's tables; 0 for a new file."""
    return int(connection.execute("pragma user_version").fetchone()[0])


def _make(connection: sqlite3.Connection) -> None:
    # Not with executescript, which would first end the transaction.
    statement = ""
    for line in _SCHEMA.splitlines():
        statement += line + "\n"
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""


def add_to_audit(connection: sqlite3.Connection, who: str, what: str, memory: str) -> None:
    """Add a line to the audit log: who did what to which memory, never its content."""
    into = "insert into audit (who, what, memory) values (?, ?, ?)"
    connection.execute(into, [who, what, memory])


def ids_of(connection: sqlite3.Connection, owner: str) -> list[str]:
    """The ids of all memories of an owner."""
    rows = connection.execute("select id from memories where owner = ?", [owner])
    return [item for (item,) in rows]


def audit_of(connection: sqlite3.Connection, who: str) -> list[dict[str, str]]:
    """The lines of the audit log on a user's actions, in order."""
    columns = ("at", "who", "what", "memory")
    chosen = f"select {', '.join(columns)} from audit where who = ? order by rowid"
    return [dict(zip(columns, row, strict=True)) for row in connection.execute(chosen, [who])]


def state(connection: sqlite3.Connection, name: str) -> int:
    """The number stored under a name, or 0.

    ``writes``: number of writes. ``sweep``: number of removals. ``swept``: number of removals that
    have been erased from the files. All other names hold times in milliseconds: ``forgotten:OWNER``
    and ``replies deleted:OWNER`` (``anamnesis.memory.replies``).
    """
    row = connection.execute("select value from state where name = ?", (name,)).fetchone()
    return int(row[0]) if row else 0


def set_state(connection: sqlite3.Connection, name: str, value: int) -> None:
    """Store a number under a name."""
    connection.execute("insert or replace into state values (?, ?)", (name, value))


def last_forgotten(connection: sqlite3.Connection, owner: str) -> float:
    """When all memories of the owner were last deleted, in Unix seconds; 0 if they never were."""
    return state(connection, _FORGOTTEN + owner) / 1000


def records(
    connection: sqlite3.Connection, where: str, values: Sequence[str] = (), *, strict: bool = True
) -> list[Memory]:
    """The memories that match an SQL condition.

    Raises MemoryFolderError if one cannot be read; if not ``strict``, that one is left out and
    logged instead, so that the others can still be read.
    """
    found, encryption = [], cipher()
    rows = connection.execute(f"select id, record from memories where {where}", values)
    for item, record in rows:
        try:
            text = encryption.decrypted(record, f"memory {item}") if encryption else record
            found.append(Memory.read(text, f"memory {item}"))
        except MemoryFolderError as error:
            if strict:
                raise
            _log.warning("%s", error)
    return found


def write(connection: sqlite3.Connection, memory: Memory) -> None:
    """Add a memory, or replace the one with the same id.

    Raises sqlite3.IntegrityError if another one of its owner, scope and kind has its content key.
    """
    encryption, record = cipher(), memory.model_dump_json()
    connection.execute(
        "insert into memories values (?, ?, ?, ?, ?, ?)"
        " on conflict (id) do update set gist = excluded.gist, record = excluded.record",
        (
            memory.id, memory.owner, memory.scope, memory.kind, _content_key(memory),
            encryption.encrypted(record) if encryption else record,
        ),
    )  # fmt: skip


def find_duplicate(connection: sqlite3.Connection, memory: Memory) -> Memory | None:
    """The stored memory with the same owner, scope, kind and content key, or None."""
    same = "owner = ? and scope = ? and kind = ? and gist = ?"
    values = [memory.owner, memory.scope, memory.kind, _content_key(memory)]
    return next(iter(records(connection, same, values)), None)


def _content_key(memory: Memory) -> str:
    encryption = cipher()
    return encryption.digest(memory.content_key) if encryption else memory.content_key
