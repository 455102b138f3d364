"""Which entries of the audit log are listed: by user, action and time."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from anamnesis import SettingError


def matches(
    entry: Mapping[str, Any],
    user: str | None,
    action: str | None,
    since: str | None,
    until: str | None,
) -> bool:
    """Whether an entry matches user, action and time; None matches everything."""
    at = entry.get("time", "")
    return (
        (user is None or user in (entry.get("actor"), entry.get("owner")))
        and (action is None or entry.get("action") == action)
        and (since is None or at >= since)
        and (until is None or at < until)
    )


def time_of(text: str | None) -> str | None:
    """A time in the log's format. Raises SettingError for an invalid time."""
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise SettingError(
            f"{text!r} is not a time; write, for example, 2026-01-31 or 2026-01-31T08:00"
        ) from None
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
