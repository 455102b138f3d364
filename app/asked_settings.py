"""Settings that a request to the server brings: refused at the door where the policy does.

The graph asks the policy once more (``app.recording.served``); here a caller hears of it before
anything is kept or begun.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from langgraph_sdk import Auth
from starlette.concurrency import run_in_threadpool

from anamnesis import SettingError
from nodes.context import Context
from nodes.policy import asked_of, ruled

# What the server tells LangGraph of a run; a caller who writes it could stand in for the server.
_INTERNAL = "__pregel_"
_WHO = ("user", "audience")


async def refuse_settings(authenticated: bool, value: Mapping[str, Any]) -> None:
    """Refuse what is asked, of a run, an assistant or a cron, if its settings are not open.

    ``value`` is what the server's authorization is given. An authenticated caller does not say who
    they are: the token does. Raises the server's HTTPException, with the setting and the remedy.
    """
    asked = [given for given in _settings(value) if given.keys() & Context.model_fields.keys()]
    try:
        for given in asked:
            for name in _WHO:
                if authenticated and given.get(name):
                    raise SettingError(
                        f"the setting {name!r} is told by your token on this server: leave it out"
                    )
            await run_in_threadpool(ruled, asked_of(given))
    except SettingError as error:
        raise Auth.exceptions.HTTPException(status_code=403, detail=str(error)) from error
    for given in _settings(value):
        if inner := next((name for name in given if name.startswith(_INTERNAL)), None):
            raise Auth.exceptions.HTTPException(
                status_code=403, detail=f"{inner!r} is no setting: leave it out"
            )


def _settings(value: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """All places of a request that hold settings, however deep the server keeps them."""
    for holder in (value, value.get("kwargs"), value.get("payload")):
        if not isinstance(holder, Mapping):
            continue
        config = holder.get("config")
        nested = config.get("configurable") if isinstance(config, Mapping) else None
        yield from (own for own in (holder.get("context"), config, nested) if isinstance(own, dict))
