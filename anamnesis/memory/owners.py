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
    """All memories of the owner, or those of a kind; ``strict`` is that of ``records``."""
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


def reground(
    base: sqlite3.Connection, owner: str, grounds: Mapping[str, tuple[Grounds, Grounds]]
) -> None:
    """Store the grounds of the owner's exchanges: by id, the grounds that were read, and the new
    ones.

    An exchange that was deleted, edited or given other grounds since it was read is skipped.
    """
    for item, (read, ground) in sorted(grounds.items()):
        for memory in records(base, "id = ? and owner = ?", [item, owner], strict=False):
            if memory.grounds is None or memory.grounds != read:
                continue
            write(base, memory.changed(grounds=ground))
            if ground.unsupported != memory.grounds.unsupported:
                add_to_audit(base, owner, "verify", item)


def rate_shaping(
    base: sqlite3.Connection,
    owner: str,
    shaping: Mapping[str, str],
    correct: bool,
    audience: Mapping[str, str],
) -> list[str]:
    """Give memories (ids with texts) the rating of the answer that they shaped; return the ids [M5,
    M8].

    This changes only their trust: none is deleted, because an answer may be wrong for other
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


def release(base: sqlite3.Connection, winner: Memory) -> None:
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
