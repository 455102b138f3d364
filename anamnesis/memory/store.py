"""The memories of users, on disk: stored, found, rated and deleted (rows H1, H7, M2–M9).

Records are stored in one SQLite file, their vectors in Chroma. A memory is acknowledged when both
are written; vectors that were lost in a crash are made again from the records.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from anamnesis import SettingError
from anamnesis.memory import database, owners, questions, replies
from anamnesis.memory.database import Database, add_to_audit, records, set_state, state, write
from anamnesis.memory.grounds import Grounds
from anamnesis.memory.index import Embedder, Index
from anamnesis.memory.matching import NEAREST, MatchedMemory, ranked
from anamnesis.memory.record import KINDS, Kind, Memory, Scope, now
from anamnesis.memory.retention import deletable

_T = TypeVar("_T")
_Query = Callable[[sqlite3.Connection, str], _T]
_Audience = Mapping[str, str] | None


class Memories:
    """The memories in a folder. Every call names an owner and sees only this owner's memories.

    Memories of experts are also seen by everybody in their audience, but only their owner can
    change them [M9]. ``server`` is the address of a Chroma server for the vectors; without one they
    are stored in the folder. Every call raises SettingError for a blank owner, and
    MemoryFolderError if the folder or the server cannot be used. (Only ``sweep`` has no owner.)
    """

    def __init__(self, folder: Path, embedder: Embedder, server: str | None = None) -> None:
        self.folder = folder.absolute()
        self._database = Database(self.folder)
        self._embedder = embedder
        self._index = Index(self.folder / "vectors", embedder, server)

    def add(
        self, owner: str, memories: Sequence[Memory], requested_at: float | None = None
    ) -> list[Memory]:
        """Store memories of the owner, and return them as stored.

        If a memory with the same content exists, it is renewed instead [M1]. Nothing is stored if
        the run was requested (``requested_at``, in Unix seconds) before the owner last deleted all
        memories [H7]. Raises SettingError for a memory of another owner.
        """
        owners.check_owner(owner, memories)
        if not memories:
            return []
        vectors = self._index.embed(memories)
        stored: dict[str, Memory] = {}
        with self._changing() as base:
            if requested_at is not None and requested_at <= database.last_forgotten(base, owner):
                return []
            scopes = sorted({memory.scope for memory in memories})
            for scope in scopes:
                self._index.mend(base, scope, owner)
            new: list[Memory] = []
            for memory in memories:
                if duplicate := database.find_duplicate(base, memory):
                    memory = duplicate.said_again(memory)
                else:
                    new.append(memory)
                    add_to_audit(base, owner, "remember", memory.id)
                write(base, memory)
                stored[memory.id] = memory
            for scope in scopes:
                added = {item.id: vectors[item.id] for item in new if item.scope == scope}
                self._index.put(scope, owner, added)
        return list(stored.values())

    def all(self, owner: str, kind: Kind | None = None, *, strict: bool = True) -> list[Memory]:
        """All memories of the owner, or of a kind, newest first; ``strict`` as in ``records``."""
        query = partial(owners.memories_of, kind=kind, strict=strict)
        found: list[Memory] = self._result(query, owner, [])
        return sorted(found, key=lambda memory: (memory.created, memory.id), reverse=True)

    def active(self, owner: str, audience: Mapping[str, str]) -> list[Memory]:
        """The active memories of the owner, and those of experts for the ``audience`` [M9]."""
        return self._result(partial(owners.active, kinds=KINDS, audience=audience), owner, [])

    def reground(self, owner: str, grounds: Mapping[str, tuple[Grounds, Grounds]]) -> None:
        """Store new grounds of the owner's exchanges, by id; see ``owners.reground``."""
        self._result(partial(owners.reground, grounds=grounds), owner, None, writing=True)

    def ids(self, owner: str) -> list[str]:
        """The ids of all memories of the owner, including damaged ones."""
        return self._result(database.ids_of, owner, [])

    def get(self, owner: str, memory_id: str, audience: _Audience = None) -> Memory:
        """One memory that the owner may see. Raises SettingError if no memory has this id."""
        with self._folder_with_data(owner, memory_id), self._database.reading() as base:
            return owners.visible_memory(base, owner, memory_id, audience)

    def nearest(
        self,
        owner: str,
        question: str,
        kinds: Sequence[Kind] = KINDS,
        n: int = NEAREST,
        audience: _Audience = None,
        word_weight: float = 0,
    ) -> list[MatchedMemory]:
        """The ``n`` memories of each kind that are nearest to the question, best first [M3].

        Nearness is the mean of the cosine (weight 1 − ``word_weight``) and the share of common
        words. Active memories of the owner and of experts for the ``audience`` are searched.
        """
        owners.check_owner(owner)
        if not self._database.exists():
            return []
        question_vector = self._embedder.embed_queries([question])[0]
        cosines: dict[str, float] = {}
        # Reading vectors needs the writer's lock too: Chroma allows only one process at a time.
        with self._database.writing() as base:
            visible = owners.active(base, owner, kinds, audience)
            if visible:
                self._index.refresh(base)
            for scope in sorted({memory.scope for memory in visible}):
                self._index.mend(base, scope, owner)
                among = [memory.id for memory in visible if memory.scope == scope]
                cosines |= self._index.nearest(scope, owner, question_vector, among, len(among))
        return ranked(question, visible, cosines, kinds, n, word_weight)

    def count_recalls(self, owner: str, ids: Iterable[str]) -> None:
        """Count a recall of each memory; to be called when they are put into a prompt [M3]."""
        wanted = set(ids)
        self._result(partial(owners.count_recalls, ids=wanted), owner, None, writing=bool(wanted))

    def rate(
        self, owner: str, memory_id: str, *, correct: bool, audience: _Audience = None
    ) -> Memory:
        """Rate a memory that the owner may see as right or wrong, and return it [M5–M8].

        A memory of the owner is deleted if the retention rule rejects it; see ``Memory.retained``
        [M7]. If an inactive memory of the owner is rated right, it replaces the one that
        contradicts it [M8]. Raises SettingError if no memory has this id.
        """
        with self._folder_with_data(owner, memory_id), self._database.writing() as base:
            memory = owners.visible_memory(base, owner, memory_id, audience)
            rated = memory.validated(correct=correct)
            if correct and rated.owner == owner and rated.superseded_by:
                for other in records(base, "id = ? and owner = ?", [rated.superseded_by, owner]):
                    write(base, other.changed(superseded_by=memory_id))
                    add_to_audit(base, owner, "supersede", other.id)
                rated = rated.changed(superseded_by=None)
            write(base, rated)
            add_to_audit(base, owner, "rate", memory_id)
        if rated.owner == owner and not rated.retained:
            self.delete(owner, [memory_id])
        return rated

    def rate_shaping(
        self, owner: str, shaping: Mapping[str, str], correct: bool, audience: Mapping[str, str]
    ) -> list[str]:
        """Rate the memories (texts by id) that shaped an answer; see ``owners`` [M5, M8]."""
        rate = partial(owners.rate_shaping, shaping=shaping, correct=correct, audience=audience)
        return self._result(rate, owner, [], writing=True)

    def supersede(self, owner: str, memory_id: str, by: str, audience: _Audience = None) -> Memory:
        """Deactivate a memory of the owner in favour of another one, whose id is ``by`` [M8]."""
        with self._folder_with_data(owner, memory_id), self._database.writing() as base:
            return owners.supersede(base, owner, memory_id, by, audience)

    def edit(self, owner: str, memory_id: str, text: str) -> Memory:
        """Change the text of a memory of the owner, and delete the old text [H7].

        Its counts of recalls and ratings start at zero again. It becomes active, and so do the
        memories that it had deactivated [M8]. Raises SettingError if no memory has this id, or if
        another one has the same content.
        """
        with self._folder_with_data(owner, memory_id), self._changing(removes_of=owner) as base:
            old = owners.visible_memory(base, owner, memory_id, None)
            if old.owner != owner:
                raise owners.no_memory(owner, memory_id)
            edited = old.reworded(text)
            try:
                write(base, edited)
            except sqlite3.IntegrityError:
                raise SettingError("another memory says the same; delete one of the two") from None
            owners.release(base, old)
            add_to_audit(base, owner, "edit", memory_id)
            self._index.rewrite(base, old.scope, owner, changed=[memory_id])
        return edited

    def delete(self, owner: str, ids: Iterable[str] | None = None) -> int:
        """Delete some or all memories of the owner, and return their number [H7].

        Afterwards no byte of their text or vectors is left in the folder. If all are deleted, a run
        that began earlier stores nothing (see ``add``). If a memory does not exist, nothing is
        deleted and SettingError is raised.
        """
        owners.check_owner(owner)
        wanted = None if ids is None else set(ids)
        if wanted is None:
            self._database.note_forgotten(owner)
        elif not self._database.exists():
            if wanted:
                raise owners.no_memory(owner, min(wanted))
            return 0
        with self._changing(removes_of=owner) as base:
            # The records themselves are not read, so that a damaged memory can be deleted too.
            scopes = dict(base.execute("select id, scope from memories where owner = ?", [owner]))
            gone = sorted(scopes if wanted is None else wanted)
            if wanted is None:
                questions.delete_all(base, owner)
            for key in gone:
                if key not in scopes:
                    raise owners.no_memory(owner, key)
            self._remove(base, owner, {key: scopes[key] for key in gone}, "delete")
        return len(gone)

    def prune(
        self, owner: str, *, days: int | None = None, limit: int | None = None
    ) -> list[Memory]:
        """Delete the owner's private memories that should not be kept, and return them.

        These have little trust [M7], or exceed ``days`` or ``limit``; see ``retention.deletable``.
        """
        owners.check_owner(owner)
        if not self._database.exists():
            return []
        private = "owner = ? and scope = 'private'"
        with self._database.reading() as base:
            if not deletable(records(base, private, [owner]), now(), days=days, limit=limit):
                return []
        with self._changing(removes_of=owner) as base:
            gone = deletable(records(base, private, [owner]), now(), days=days, limit=limit)
            self._remove(base, owner, {memory.id: memory.scope for memory in gone}, "prune")
        return gone

    def _remove(
        self, base: sqlite3.Connection, owner: str, scopes: Mapping[str, Scope], action: str
    ) -> None:
        """Remove memories, given as scopes by id; the audit log names the ``action``."""
        for key in scopes:
            base.execute("delete from memories where id = ?", (key,))
            add_to_audit(base, owner, action, key)
        for scope in sorted(set(scopes.values())):
            self._index.rewrite(base, scope, owner)

    def audit(self, owner: str) -> list[dict[str, str]]:
        """The owner's actions on memories, in order: time, user, action, id; never the content."""
        return self._result(database.audit_of, owner, [])

    def last_forgotten(self, owner: str) -> float:
        """When all memories of the owner were last deleted, in Unix seconds; 0 if never [H7]."""
        return self._result(database.last_forgotten, owner, 0.0)

    def sweep(self) -> None:
        """Finish a deletion that was interrupted, so that no byte of the deleted data is left."""
        if not self._database.exists():
            return
        with self._database.reading() as base:
            due = state(base, "sweep")
            if due == state(base, "swept"):
                return
        with self._database.writing():
            self._index.sweep()
        self._database.vacuum()
        # Data that another process removed in the meantime must still be swept.
        with self._database.writing() as base:
            set_state(base, "swept", max(due, state(base, "swept")))

    def _result(self, query: _Query[_T], owner: str, nothing: _T, writing: bool = False) -> _T:
        """The result of a database function for an owner; ``nothing`` if the folder has no data."""
        owners.check_owner(owner)
        if not self._database.exists():
            return nothing
        with self._database.writing() if writing else self._database.reading() as base:
            return query(base, owner)

    @contextmanager
    def _changing(self, removes_of: str | None = None) -> Iterator[sqlite3.Connection]:
        """A transaction on records and vectors; it erases text of the owner ``removes_of``."""
        with self._database.writing() as base:
            self._index.refresh(base)
            writes = state(base, "writes") + 1
            set_state(base, "writes", writes)
            if removes_of:  # a cached reply may repeat the text
                replies.delete(base, removes_of)
                set_state(base, "sweep", state(base, "sweep") + 1)
            yield base
        self._index.note_write(writes)
        if removes_of:
            self.sweep()

    @contextmanager
    def _folder_with_data(self, owner: str, memory_id: str) -> Iterator[None]:
        """Refuse a blank owner, and any memory as long as the folder has no data."""
        owners.check_owner(owner)
        if not self._database.exists():
            raise owners.no_memory(owner, memory_id)
        yield
