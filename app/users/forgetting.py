"""Delete a user's threads and cached model replies [H7]."""

from langgraph.checkpoint.base import BaseCheckpointSaver

from anamnesis import SettingError
from anamnesis.memory.database import Database
from anamnesis.memory.replies import forget_replies
from anamnesis.paths import default_memory
from nodes.cost.reply_cache import days


def forget_threads(checkpointer: BaseCheckpointSaver[str], user: str) -> list[str]:
    """Delete the threads of a user from a checkpointer. Returns their ids.

    A thread is the user's if the metadata of one of its checkpoints say so: run the graph with
    ``{"metadata": {"user": user}}`` in the config. Raises SettingError for a blank user.
    """
    check_named(user)
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


def check_named(user: str) -> None:
    """Raise SettingError if no user is named, whose data would be deleted."""
    if not user.strip():
        raise SettingError("name the user whose threads and runs are to be deleted")
