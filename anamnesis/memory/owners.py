"""Which memories a call may see, checked in one place that all reading goes through."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from anamnesis import SettingError
from anamnesis.memory.database import add_to_audit, records, write
from anamnesis.memory.grounds import Grounds
from anamnesis.memory.record import KINDS, Kind, Memory


def check_owner(owner: str, memories: Sequence[Memory] = ()) -> None:
    """Raise SettingError unless an owner is named, and the memories are theirs."""
    if not owner.strip():
        raise SettingError("memories need an owner: set `user`, or authenticate")
    try:
        owner.encode()
    except UnicodeEncodeError:
        raise SettingError(f"the owner {owner!r} is not Unicode text") from None
    for memory in memories:
        if memory.owner != owner:
            raise SettingError(f"memory {memory.id} is of {memory.owner!r}, not of {owner!r}")


def memories_of(
    base: sqlite3.Connection, owner: str, kind: Kind | None = None, *, strict: bool = True
) -> list[Memory]:
    """All memories of the owner, or those of one ``kind``; ``strict`` is that of ``records``."""
    if kind is None:
        return records(base, "owner = ?", [owner], strict=strict)
    return records(base, "owner = ? and kind = ?", [owner, kind], strict=strict)


def visible_memory(
    base: sqlite3.Connection, owner: str, memory: str, audience: Mapping[str, str] | None
) -> Memory:
    """The memory with this id that the owner may see. Raises SettingError if there is none."""
    found = records(base, "id = ? and (owner = ? or scope = 'expert')", [memory, owner])
    if not found or not found[0].seen_by(owner, audience or {}):
        raise no_memory(owner, memory)
    return found[0]


def active(
    base: sqlite3.Connection, owner: str, kinds: Sequence[Kind], audience: Mapping[str, str] | None
) -> list[Memory]:
    """The active memories of these kinds that the owner may see, without damaged ones."""
    return [
        memory
        for memory in records(base, "owner = ? or scope = 'expert'", [owner], strict=False)
        if memory.kind in kinds and memory.is_active and memory.seen_by(owner, audience or {})
    ]


def count_recalls(base: sqlite3.Connection, owner: str, ids: Iterable[str]) -> None:
    """Count a recall of each memory with these ids that the owner may see [M3]."""
    for item in sorted(ids):
        mine = "id = ? and (owner = ? or scope = 'expert')"
        for memory in records(base, mine, [item, owner], strict=False):
            write(base, memory.changed(recalls=memory.recalls + 1))


def update_citations(
    base: sqlite3.Connection, owner: str, results: Mapping[str, tuple[Grounds, Grounds]]
) -> None:
    """Store the results of verifying exchanges of the owner again against their cited passages.

    ``results`` has, by memory id, the grounds as they were read and the new ones. An exchange that
    was deleted, edited or given other grounds since it was read is skipped.
    """
    for item, (read, new) in sorted(results.items()):
        for memory in records(base, "id = ? and owner = ?", [item, owner], strict=False):
            if memory.grounds is None or memory.grounds != read:
                continue
            write(base, memory.changed(grounds=new))
            if new.unsupported != memory.grounds.unsupported:
                add_to_audit(base, owner, "verify", item)


def rate(
    base: sqlite3.Connection,
    owner: str,
    memory: str,
    correct: bool,
    audience: Mapping[str, str] | None,
) -> Memory:
    """Record the rating of a memory that the owner may see; see ``Memories.rate`` [M5–M8]."""
    rated = visible_memory(base, owner, memory, audience).validated(correct=correct)
    if correct and rated.owner == owner and rated.superseded_by:
        for other in records(base, "id = ? and owner = ?", [rated.superseded_by, owner]):
            write(base, other.changed(superseded_by=memory))
            add_to_audit(base, owner, "supersede", other.id)
        rated = rated.changed(superseded_by=None)
    write(base, rated)
    add_to_audit(base, owner, "rate", memory)
    return rated


def rate_shaping(
    base: sqlite3.Connection,
    owner: str,
    shaping: Mapping[str, str],
    correct: bool,
    audience: Mapping[str, str],
) -> list[str]:
    """Pass the rating of an answer on to the memories that were used for it [M5, M8].

    ``shaping`` maps their ids to their texts at that time. Returns the ids of those that were
    rated. This changes only their trust: none is deleted, because an answer may be wrong for other
    reasons, and none is activated. A memory is skipped if it is inactive, was deleted or changed,
    or must not be seen by the owner.
    """
    rated = []
    for memory in active(base, owner, KINDS, audience):
        if shaping.get(memory.id) == memory.text:
            write(base, memory.validated(correct=correct))
            add_to_audit(base, owner, "rate", memory.id)
            rated.append(memory.id)
    return rated


def supersede(
    base: sqlite3.Connection,
    owner: str,
    memory: str,
    by: str,
    audience: Mapping[str, str] | None = None,
) -> Memory:
    """Deactivate a memory of the owner in favour of another one that they may see [M8].

    Raises SettingError if it is not the owner's, if they may not see the other one, or if both are
    the same.
    """
    mine = visible_memory(base, owner, memory, audience)
    visible_memory(base, owner, by, audience)
    if mine.owner != owner:
        raise no_memory(owner, memory)
    if memory == by:
        raise SettingError(f"memory {memory!r} cannot contradict itself; name another one")
    changed = mine.changed(superseded_by=by)
    write(base, changed)
    add_to_audit(base, owner, "supersede", memory)
    return changed


def edit(base: sqlite3.Connection, owner: str, memory: str, text: str) -> Memory:
    """Change what the owner can edit of a memory; see ``Memories.edit`` [H7]."""
    old = visible_memory(base, owner, memory, None)
    if old.owner != owner:
        raise no_memory(owner, memory)
    edited = old.edited(text)
    try:
        write(base, edited)
    except sqlite3.IntegrityError:
        raise SettingError(
            "the text was not changed, because another memory has the same content; delete that "
            "one first, or delete this one"
        ) from None
    _reactivate_superseded_by(base, old)
    add_to_audit(base, owner, "edit", memory)
    return edited


def _reactivate_superseded_by(base: sqlite3.Connection, winner: Memory) -> None:
    """Activate what a memory deactivated: for an expert's memory, in all users' memories [M8]."""
    private = winner.scope == "private"
    where, values = ("owner = ?", [winner.owner]) if private else ("true", [])
    for other in records(base, where, values, strict=False):
        if other.superseded_by == winner.id:
            write(base, other.changed(superseded_by=None))


def no_memory(owner: str, memory: str) -> SettingError:
    """The error if the owner has no memory with this id."""
    return SettingError(
        f"{owner!r} has no memory {memory!r}; list the ids with: anamnesis memory list"
    )
