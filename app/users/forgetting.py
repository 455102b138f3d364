"""Delete a user's threads, recorded runs and cached model replies [H7]."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from anamnesis import SettingError
from anamnesis.memory.database import Database
from anamnesis.memory.replies import forget_replies
from anamnesis.paths import default_memory
from app.trace import files as trace_file
from app.trace import runs as trace
from nodes.cost.reply_cache import days

_OF_A_USER = re.compile("user-[0-9a-f]{32}")  # a name made by app.users.tokens.user_label


def forget_threads(checkpointer: BaseCheckpointSaver[str], user: str) -> list[str]:
    """Delete the threads of a user from a checkpointer. Returns their ids.

    A thread is the user's if the metadata of one of its checkpoints say so: run the graph with
    ``{"metadata": {"user": user}}`` in the config. Raises SettingError for a blank user.
    """
    _check(user)
    found = {
        str(item.config["configurable"]["thread_id"])
        for item in checkpointer.list(None, filter={"user": user})
    }
    for thread in sorted(found):
        checkpointer.delete_thread(thread)
    if found:
        forget_kept(user)
    return sorted(found)


def forget_kept(user: str | None) -> int:
    """Delete the cached replies of a user, or of all users. Returns the number of deleted replies.

    It is unknown which replies belong to a deleted thread or run, so all of the user's are deleted,
    and if its owner is unknown, those of all users.
    """
    if days() is None and not Database(default_memory()).exists():
        return 0
    return forget_replies(default_memory(), user)


def forget_traces(user: str, folder: Path | None = None) -> int:
    """Delete the recorded runs of a user, by default in the data folder. Returns their number.

    In the folder of a user (``app.trace.runs.folder``) all runs are that user's, whatever their
    settings; elsewhere the setting ``user`` names the owner. A file that is not a trace is left
    alone. Raises SettingError for a blank user.
    """
    _check(user)
    own, recorded = trace.folder(user).name, folder or trace.folder()

    def found(ending: str) -> Iterator[Path]:
        for path in recorded.rglob(f"*{ending}"):
            place = path.parent.name
            if place == own or (not _OF_A_USER.fullmatch(place) and _user(path) == user):
                yield path

    return trace_file.unlink(found)


def _user(path: Path) -> Any:
    """The setting ``user`` of a recorded run; None if it has none, or is not a trace."""
    try:
        with path.open("rb") as lines:
            return json.loads(lines.readline())["context"].get("user")
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _check(user: str) -> None:
    if not user.strip():
        raise SettingError("name the user whose threads and runs are to be deleted")
