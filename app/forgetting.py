"""What is kept of a user outside the memories: threads of a checkpointer, recorded runs [H7]."""

import json
from collections.abc import Iterator
from pathlib import Path

from langgraph.checkpoint.base import BaseCheckpointSaver

from anamnesis import SettingError
from app import trace


def forget_threads(checkpointer: BaseCheckpointSaver[str], user: str) -> list[str]:
    """Delete the threads of a user from a checkpointer; their ids come back.

    A thread is the user's if the metadata of one of its checkpoints say so: run the graph with
    ``{"metadata": {"user": user}}`` in the config. Raises SettingError for a blank user.
    """
    _check(user)
    found = {
        str(own.config["configurable"]["thread_id"])
        for own in checkpointer.list(None, filter={"user": user})
    }
    for thread in sorted(found):
        checkpointer.delete_thread(thread)
    return sorted(found)


def forget_traces(user: str, folder: Path | None = None) -> int:
    """Delete the recorded runs of a user, by default those in the data folder; their number.

    A file that is no trace is left alone. Raises SettingError for a blank user.
    """
    _check(user)
    gone = list(_traces(user, folder or trace.folder()))
    for path in gone:
        path.unlink(missing_ok=True)
    return len(gone)


def _traces(user: str, folder: Path) -> Iterator[Path]:
    # A run that was not recorded to its end is named otherwise.
    for path in [*folder.rglob("*.jsonl"), *folder.rglob("*.partial")]:
        with path.open("rb") as lines:
            try:
                context = json.loads(lines.readline())["context"]
            except (ValueError, TypeError, KeyError):
                continue
        if isinstance(context, dict) and context.get("user") == user:
            yield path


def _check(user: str) -> None:
    if not user.strip():
        raise SettingError("name the user whose threads and runs are to be deleted")
