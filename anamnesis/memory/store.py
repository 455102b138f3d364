"""The memories of users, on disk: stored, found, rated and deleted [H1, H7, M2–M9].

Records are stored in one SQLite file, their vectors in Chroma. ``Memories.add`` returns only after
both are written. If a crash loses vectors, they are computed again from the records.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

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

        If a memory with the same content exists, that one gets the new date, source words and
        citations, and becomes active again [M1]. Nothing is stored if the run was requested
        (``requested_at``, in Unix seconds) before the owner last deleted all memories [H7]. Raises
        SettingError for a memory of another owner.
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
                self._index.synchronise(base, scope, owner)
            new: list[Memory] = []
            for memory in memories:
                if duplicate := database.find_duplicate(base, memory):
                    memory = duplicate.merged_with(memory)
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
        """All memories of the owner (of one ``kind`` only, if given), newest first.

        A damaged one raises MemoryFolderError, or is skipped and logged if ``strict`` is False.
        """
        query = partial(owners.memories_of, kind=kind, strict=strict)
        found: list[Memory] = self._result(query, owner, [])
        return sorted(found, key=lambda memory: (memory.created, memory.id), reverse=True)

    def active(self, owner: str, audience: Mapping[str, str]) -> list[Memory]:
        """The active memories of the owner, and those of experts for the ``audience`` [M9]."""
        return self._result(partial(owners.active, kinds=KINDS, audience=audience), owner, [])

    def update_citations(self, owner: str, results: Mapping[str, tuple[Grounds, Grounds]]) -> None:
        """Store the results of verifying exchanges again: by id, the grounds as read, and new."""
        self._result(partial(owners.update_citations, results=results), owner, None, writing=True)

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
        lexical_weight: float = 0,
    ) -> list[MatchedMemory]:
        """The ``n`` memories of each kind that are nearest to the question, best first [M3].

        Nearness is (1 − ``lexical_weight``) × cosine + ``lexical_weight`` × the BM25 score of the
        question's words, scaled to 0–1. Active memories of the owner, and of experts for the
        ``audience``, are searched.
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
                self._index.synchronise(base, scope, owner)
                among = [memory.id for memory in visible if memory.scope == scope]
                cosines |= self._index.nearest(scope, owner, question_vector, among, len(among))
        return ranked(question, visible, cosines, kinds, n, lexical_weight)

    def count_recalls(self, owner: str, ids: Iterable[str]) -> None:
        """Count a recall of each memory; to be called when they are put into a prompt [M3]."""
        wanted = set(ids)
        self._result(partial(owners.count_recalls, ids=wanted), owner, None, writing=bool(wanted))

    def rate(
        self, owner: str, memory_id: str, *, correct: bool, audience: _Audience = None
    ) -> Memory:
        """Record the rating (right or wrong) of a memory that the owner may see, and return it.

        A memory of the owner is deleted if the retention rule rejects it; see ``Memory.retained``
        [M7]. If a superseded memory of the owner is rated right, it is used again, and the one that
        superseded it is superseded by it (if that one is the owner's too) [M8]. Raises SettingError
        if no memory has this id.
        """
        with self._folder_with_data(owner, memory_id), self._database.writing() as base:
            rated = owners.rate(base, owner, memory_id, correct, audience)
        if rated.owner == owner and not rated.retained:
            self.delete(owner, [memory_id])
        return rated

    def rate_shaping(
        self, owner: str, shaping: Mapping[str, str], correct: bool, audience: Mapping[str, str]
    ) -> list[str]:
        """Pass the rating of an answer on to the memories that were used for it.

        ``shaping`` maps their ids to their texts at that time. Only their trust changes: none is
        deleted or activated. Returns the ids of the memories that were rated [M5, M8].
        """
        rate = partial(owners.rate_shaping, shaping=shaping, correct=correct, audience=audience)
        return self._result(rate, owner, [], writing=True)

    def supersede(self, owner: str, memory_id: str, by: str, audience: _Audience = None) -> Memory:
        """Deactivate a memory of the owner in favour of another one, whose id is ``by`` [M8]."""
        with self._folder_with_data(owner, memory_id), self._database.writing() as base:
            return owners.supersede(base, owner, memory_id, by, audience)

    def edit(self, owner: str, memory_id: str, text: str) -> Memory:
        """Change the ``editable`` part of a memory of the owner, and delete the old text [H7].

        Its counts of recalls and ratings start at zero again. It becomes active, and so do the
        memories that it had deactivated [M8]. Raises SettingError if no memory has this id, or if
        another one has the same content.
        """
        with self._folder_with_data(owner, memory_id), self._changing(erases_text_of=owner) as base:
            edited = owners.edit(base, owner, memory_id, text)
            self._index.rewrite(base, edited.scope, owner, changed=[memory_id])
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
        with self._changing(erases_text_of=owner) as base:
            # The records themselves are not read, so that a damaged memory can be deleted too.
            scopes = dict(base.execute("select id, scope from memories where owner = ?", [owner]))
            to_delete = sorted(scopes if wanted is None else wanted)
            if wanted is None:
                questions.delete_all(base, owner)
            for key in to_delete:
                if key not in scopes:
                    raise owners.no_memory(owner, key)
            self._remove(base, owner, {key: scopes[key] for key in to_delete}, "delete")
        return len(to_delete)

    def prune(
        self, owner: str, *, days: int | None = None, limit: int | None = None
    ) -> list[Memory]:
        """Delete private memories of the owner, and return the deleted ones.

        They are those that the retention rule rejects [M7], those older than ``days``, and those
        that are surplus to ``limit``; see ``retention.deletable``.
        """
        owners.check_owner(owner)
        if not self._database.exists():
            return []
        private = "owner = ? and scope = 'private'"
        with self._database.reading() as base:
            if not deletable(records(base, private, [owner]), now(), days=days, limit=limit):
                return []
        with self._changing(erases_text_of=owner) as base:
            deleted = deletable(records(base, private, [owner]), now(), days=days, limit=limit)
            self._remove(base, owner, {memory.id: memory.scope for memory in deleted}, "prune")
        return deleted

    def _remove(
        self, base: sqlite3.Connection, owner: str, scopes: Mapping[str, Scope], action: str
    ) -> None:
        """Remove memories (``scopes`` maps their ids to their scopes); audited as ``action``."""
        for key in scopes:
            base.execute("delete from memories where id = ?", (key,))
            add_to_audit(base, owner, action, key)
        for scope in sorted(set(scopes.values())):
            self._index.rewrite(base, scope, owner)

    def audit(self, owner: str) -> list[dict[str, str]]:
        """The owner's actions, in order: dicts of ``at`` (the time), ``who``, ``what``, ``memory``.

        ``memory`` is an id; the content of a memory is never logged.
        """
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
    def _changing(self, erases_text_of: str | None = None) -> Iterator[sqlite3.Connection]:
        """A transaction on records and vectors.

        With ``erases_text_of``, deleted text of this owner is erased from the files afterwards.
        """
        with self._database.writing() as base:
            self._index.refresh(base)
            writes = state(base, "writes") + 1
            set_state(base, "writes", writes)
            if erases_text_of:  # a cached reply may repeat the text
                replies.delete(base, erases_text_of)
                set_state(base, "sweep", state(base, "sweep") + 1)
            yield base
        self._index.note_write(writes)
        if erases_text_of:
            self.sweep()

    @contextmanager
    def _folder_with_data(self, owner: str, memory_id: str) -> Iterator[None]:
        """Raise SettingError if the owner is blank, or if nothing is stored, so that no memory has
        this id.
        """
        owners.check_owner(owner)
        if not self._database.exists():
            raise owners.no_memory(owner, memory_id)
        yield
