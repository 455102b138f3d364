"""What the server shows only to operators: the audit log, and details of its health."""

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException

from anamnesis import SettingError
from app.users.audit_check import entries
from app.users.audit_filter import matches, time_of
from app.users.tokens import read_tokens
from retrievers.corpus import Corpus

_MOST = 1_000


def details(index: Corpus) -> dict[str, int]:
    """The size of the index and the number of valid tokens."""
    return {"passages": len(index), "tokens": sum(not token.expired for token in read_tokens())}


def audit(role: str, query: Mapping[str, str]) -> list[dict[str, Any]]:
    """The last matching entries of the audit log, oldest first.

    Raises HTTPException 403 for anyone but an operator, SettingError for an invalid query.
    """
    if role != "operator":
        raise HTTPException(
            403, "the audit log is for operators: anamnesis token add USER --role operator"
        )
    limit = query.get("limit", str(_MOST))
    if not limit.isdecimal() or not 1 <= int(limit[:9]) <= _MOST:
        raise SettingError(f"limit is a number from 1 to {_MOST}, not {limit!r}")
    user, action = query.get("user"), query.get("action")
    since, until = time_of(query.get("since")), time_of(query.get("until"))
    found = [entry for entry in entries() if matches(entry, user, action, since, until)]
    return found[-int(limit) :]
