"""Check the settings in a request to the server against the policy, before anything is done.

The graph checks the policy again (``app.server.recording.served``); this check refuses a request
before anything is stored or started.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from langgraph_sdk import Auth
from starlette.concurrency import run_in_threadpool

from anamnesis import SettingError
from nodes.policy import apply_policy, requested_settings
from nodes.settings.context import Context
from nodes.settings.names import check_places, fields, groups

# Set by the server for LangGraph; a caller who sets it could impersonate the server.
_INTERNAL = "__pregel_"
_WHO = ("user", "audience")


async def refuse_settings(authenticated: bool, value: Mapping[str, Any]) -> None:
    """Refuse a run, an assistant or a cron with settings that the policy does not permit.

    ``value`` is the argument of the server's authorization. An authenticated caller may not set the
    user, which the token determines. Raises the server's HTTPException, with the setting and the
    remedy.
    """
    names = fields(Context).keys() | groups(Context)
    try:
        for given in _settings(value):
            check_places(given, Context)
            if not given.keys() & names:
                continue
            for name in _WHO:
                if authenticated and given.get(name):
                    raise SettingError(
                        f"the setting {name!r} is set by your token on this server: leave it out"
                    )
            await run_in_threadpool(apply_policy, requested_settings(given))
    except SettingError as error:
        raise Auth.exceptions.HTTPException(status_code=403, detail=str(error)) from error
    for given in _settings(value):
        if inner := next((name for name in given if name.startswith(_INTERNAL)), None):
            raise Auth.exceptions.HTTPException(
                status_code=403, detail=f"{inner!r} is not a setting: leave it out"
            )


def _settings(value: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """All parts of a request that contain settings, at any depth."""
    for holder in (value, value.get("kwargs"), value.get("payload")):
        if not isinstance(holder, Mapping):
            continue
        config = holder.get("config")
        nested = config.get("configurable") if isinstance(config, Mapping) else None
        yield from (
            item for item in (holder.get("context"), config, nested) if isinstance(item, dict)
        )
