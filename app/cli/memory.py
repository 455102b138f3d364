"""The command to review, correct, export and delete a user's memories."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from anamnesis import SettingError
from anamnesis.memory.profile import FIELDS
from app.run_options import full_id

if TYPE_CHECKING:
    from anamnesis.memory.store import Memories


def add_command(commands: Any) -> None:
    """``anamnesis memory list | profile | add | show | edit | rate`` etc., and keys."""
    command = commands.add_parser("memory", help="review and delete a user's memories")
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")
    one: dict[str, Any] = {"metavar": "ID", "help": "id of the memory, or the beginning of it"}
    list_ = _kind(kinds, "list", "list all memories, newest first", _list)
    list_.add_argument("--json", action="store_true", help="print them as JSON")
    _kind(kinds, "show", "show a memory with its counts and scores", _show).add_argument(
        "id", **one
    )
    entries = _kind(kinds, "profile", "list the entries of a user's health profile", _profile)
    entries.add_argument("--json", action="store_true", help="print it as JSON")
    _kind(kinds, "add", "add an entry to a user's health profile", _add).add_argument(
        "entry",
        metavar="ENTRY",
        help=f"'FIELD: VALUE', such as 'allergy: penicillin'; the fields are {', '.join(FIELDS)}",
    )
    edit = _kind(kinds, "edit", "change what a memory says", _edit)
    edit.add_argument("id", **one)
    edit.add_argument("text", help="the new words, meaning, note or answer (docs/memory.md)")
    rate = _kind(kinds, "rate", "rate a memory as right or wrong", _rate)
    rate.add_argument("id", **one)
    rate.add_argument("rating", choices=("correct", "incorrect"))
    asked = _kind(kinds, "questions", "list the user's questions for experts", _questions)
    asked.add_argument("--delete", metavar="ID", nargs="+", default=[], help="delete these")
    _kind(kinds, "export", "print all memories and the audit log as JSON", _export)
    _add_deletion(kinds, one)
    _add_keys(kinds)


def _add_deletion(kinds: Any, one: Mapping[str, Any]) -> None:
    """The commands that delete memories."""
    prune = _kind(kinds, "prune", "delete old or least trusted memories", _prune)
    prune.add_argument(
        "--days",
        type=int,
        metavar="N",
        help="delete memories that were last repeated N days ago or earlier",
    )
    prune.add_argument(
        "--limit", type=int, metavar="N", help="keep the N most trusted memories, delete the others"
    )
    delete = _kind(kinds, "delete", "delete memories, and erase their text completely", _delete)
    delete.add_argument("id", nargs="*", **one)
    delete.add_argument("--all", action="store_true", help="all memories of the user")
    delete.add_argument("--replies", action="store_true", help="only the cached replies of models")
    delete.add_argument("--yes", action="store_true", help="do not ask for confirmation")


def _add_keys(kinds: Any) -> None:
    """The commands for the encryption key."""
    kinds.add_parser("new-key", help="print a new encryption key").set_defaults(run=_new_key)
    for name, description in (
        ("encrypt", "encrypt the stored memories with the key that is set"),
        ("decrypt", "decrypt the stored memories permanently"),
        ("rekey", "re-encrypt the memories with the first key in the key file"),
    ):
        kinds.add_parser(name, help=description).set_defaults(run=_reseal)


def _kind(
    kinds: Any, name: str, description: str, run: Callable[["Memories", argparse.Namespace], int]
) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = kinds.add_parser(name, help=description)
    command.add_argument("--user", metavar="USER", required=True, help="whose memories")

    def opened(given: argparse.Namespace) -> int:
        from anamnesis.memory.opening import open_memories
        from app.users.audit import record, recorded

        if name == "delete" and given.replies:
            return _delete_replies(given)
        # This command gives access to the memories of all users.
        reading = dict.fromkeys(("list", "profile", "show"), "read") | {"export": "export"}
        if name == "questions":
            reading[name] = "delete" if given.delete else "read"
        if action := reading.get(name):
            record(action, "memories", owner=given.user)
        if action or name == "delete":  # recorded once it is confirmed
            return run(open_memories(), given)
        with recorded("delete" if name == "prune" else "change", "memories", owner=given.user):
            return run(open_memories(), given)

    command.set_defaults(run=opened)
    return command


def _new_key(_: argparse.Namespace) -> int:
    from anamnesis.memory.encryption import new_key

    print(new_key())
    return 0


def _reseal(given: argparse.Namespace) -> int:
    from anamnesis.memory.resealing import reseal
    from anamnesis.paths import default_memory
    from app.users.audit import recorded

    with recorded("change", "memories", owner=""):
        number = reseal(default_memory(), given.kind)
    done = {"encrypt": "encrypted", "decrypt": "decrypted", "rekey": "encrypted again"}[given.kind]
    print(f"{number} entries (memories and replies) are {done}")
    return 0


def _list(memories: "Memories", given: argparse.Namespace) -> int:
    found = memories.all(given.user)
    if given.json:
        print(_json([memory.model_dump(mode="json") for memory in found]))
    else:
        for memory in found:
            scope = ", expert" if memory.scope == "expert" else ""
            play = f", inactive: see {by[:8]}" if (by := memory.superseded_by) else ""
            print(f"{memory.id[:8]}  {memory.created:%Y-%m-%d}  {memory.kind}{scope}{play}")
            print(f"    {' — '.join(memory.text.splitlines())}")
            if memory.words not in memory.text:
                print(f"    the user said: “{' '.join(memory.words.split())}”")
            for lost in memory.grounds.unsupported if memory.grounds else ():
                print(f"    inactive: the documents no longer support “{lost}”")
        print(f"{len(found)} memories of {given.user}" if found else "nothing is remembered")
    return 0 if found else 1


def _profile(memories: "Memories", given: argparse.Namespace) -> int:
    found = memories.all(given.user, "profile")
    if given.json:
        print(_json([memory.model_dump(mode="json") for memory in found]))
    for memory in [] if given.json else found:
        words = f"the user said: “{' '.join(memory.words.split())}”"
        print(f"{memory.id[:8]}  {memory.created:%Y-%m-%d}  {memory.text}")
        print(f"    {words if memory.words else 'entered by hand'}")
    if not (found or given.json):
        print("the profile is empty")
    return 0 if found else 1


def _add(memories: "Memories", given: argparse.Namespace) -> int:
    from anamnesis.memory.record import Memory

    [added] = memories.add(given.user, [Memory.entered(given.user, given.entry)])
    print(f"{added.id[:8]} says: {added.text}")
    return 0


def _show(memories: "Memories", given: argparse.Namespace) -> int:
    memory = memories.get(given.user, _id(memories, given.user, given.id))
    for name, value in memory.model_dump(mode="json").items():
        print(f"{name}: {value if isinstance(value, str) else json.dumps(value)}")
    print(f"persistence: {memory.persistence:.3f}")
    for other in memories.all(given.user):
        if other.id == memory.superseded_by:
            print(f"inactive, contradicted by {other.id[:8]}: {other.text}")
        if other.superseded_by == memory.id:
            print(f"counts in place of {other.id[:8]}: {other.text}")
    return 0


def _edit(memories: "Memories", given: argparse.Namespace) -> int:
    edited = memories.edit(given.user, _id(memories, given.user, given.id), given.text)
    print(f"{edited.id[:8]} says: {edited.text}")
    return 0


def _rate(memories: "Memories", given: argparse.Namespace) -> int:
    memory = _id(memories, given.user, given.id)
    rated = memories.rate(given.user, memory, correct=given.rating == "correct")
    left = "" if rated.retained else "; it is not trusted and was deleted"
    print(
        f"{rated.id[:8]}: trust {rated.trust:.3f}, {rated.correct} times correct, "
        f"{rated.incorrect} times incorrect{left}"
    )
    return 0


def _questions(_: "Memories", given: argparse.Namespace) -> int:
    from app.experts.deciding import questions

    found = questions().of(given.user)
    if given.delete:
        mine = questions().ids(given.user)
        ids = [item for item in mine for start in given.delete if item.startswith(start)]
        if len(ids) != len(given.delete):
            raise SettingError("each ID must match the beginning of one question's id")
        print(f"{questions().delete(given.user, ids)} deleted")
        return 0
    for item in found:
        print(f"{item.id[:8]}  {item.created:%Y-%m-%d}  {item.state}: {item.text}")
        if item.note:
            print(f"    An expert's note: {item.note}")
        if item.state == "answered":
            print("    " + item.answer.replace("\n", "\n    "))
    if not found:
        print("no question of this user waits for an expert")
    questions().inform(given.user, [item.id for item in found if item.state == "answered"])
    return 0 if found else 1


def _export(memories: "Memories", given: argparse.Namespace) -> int:
    from app.experts.deciding import questions

    found = [memory.model_dump(mode="json") for memory in memories.all(given.user)]
    asked = [item.model_dump(mode="json") for item in questions().of(given.user)]
    audit = memories.audit(given.user)
    print(_json({"user": given.user, "memories": found, "questions": asked, "audit": audit}))
    return 0


def _prune(memories: "Memories", given: argparse.Namespace) -> int:
    gone = memories.prune(given.user, days=given.days, limit=given.limit)
    print(f"{len(gone)} deleted")
    return 0


def _delete(memories: "Memories", given: argparse.Namespace) -> int:
    if given.all == bool(given.id):
        raise SettingError("name the memories to delete, or --all, or --replies alone")
    ids = [_id(memories, given.user, item) for item in given.id]
    count = len(memories.ids(given.user)) if given.all else len(set(ids))
    if not given.yes and not _confirmed(f"Delete {count} memories of {given.user}? [y/N] "):
        print("nothing was deleted")
        return 1
    from app.users.audit import recorded

    with recorded("delete", "memories", owner=given.user, count=count):
        deleted = memories.delete(given.user, None if given.all else ids)
        print(f"{deleted} deleted")
        if given.all:
            from app.trace.forgetting import forget_traces

            if runs := forget_traces(given.user):
                print(f"{runs} recorded runs deleted")
    return 0


def _delete_replies(given: argparse.Namespace) -> int:
    if given.all or given.id:
        raise SettingError(
            "use --replies alone: deleting memories also deletes the cached replies of their user"
        )
    from app.users.audit import recorded
    from app.users.forgetting import forget_kept

    with recorded("delete", "replies", owner=given.user):
        print(f"{forget_kept(given.user)} replies of models deleted")
    return 0


def _id(memories: "Memories", user: str, start: str) -> str:
    """The id of the user's memory with this prefix; SettingError unless one has it."""
    return full_id(memories.ids(user), start, "memories")


def _confirmed(question: str) -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        raise SettingError("cannot ask for confirmation without a terminal; add --yes")
    return input(question).strip().lower() in ("y", "yes")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
