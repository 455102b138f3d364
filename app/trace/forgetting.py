"""Delete a user's recorded runs [H7]."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.trace import files as trace_file
from app.trace import runs as trace
from app.users.forgetting import check_named

_OF_A_USER = re.compile("user-[0-9a-f]{32}")  # a name made by app.users.tokens.user_label


def forget_traces(user: str) -> int:
    """Delete the recorded runs of a user. Returns their number.

    In the folder of a user (``app.trace.runs.folder``) all runs are that user's, whatever their
    settings; elsewhere the setting ``user`` names the owner. A file that is not a trace is left
    alone. Raises SettingError for a blank user.
    """
    check_named(user)
    folder_name, recorded = trace.folder(user).name, trace.folder()

    def found(ending: str) -> Iterator[Path]:
        for path in recorded.rglob(f"*{ending}"):
            place = path.parent.name
            if place == folder_name or (not _OF_A_USER.fullmatch(place) and _user(path) == user):
                yield path

    return trace_file.unlink(found)


def _user(path: Path) -> Any:
    """The setting ``user`` of a recorded run; None if it has none, or is not a trace."""
    try:
        with path.open("rb") as lines:
            return json.loads(lines.readline())["context"].get("user")
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
