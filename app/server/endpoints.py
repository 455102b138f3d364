"""Pass requests to handlers, and their results and errors to the caller."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from anamnesis import AnamnesisError, SettingError
from anamnesis.limits import check, limits
from anamnesis.shown_errors import for_others
from app.server.callers import owner_of
from app.server.own_threads import OwnThreads
from app.users import identity
from retrievers.filter import Filter


class UserRequest(NamedTuple):
    """A request and its user.

    ``audience``: the user's text attributes, see ``nodes.settings.context.audience`` [M9];
    ``threads``: the server's threads, with the user's rights; ``role``: see
    ``app.users.tokens.ROLES``; ``readable``: the documents that the user may read.
    """

    user: str | None
    role: str
    authenticated: bool
    audience: dict[str, str]
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: dict[str, Any]
    threads: OwnThreads
    readable: Filter


Handler = Callable[[UserRequest], Any]


class NotFoundError(Exception):
    """The requested object does not exist or is not the user's."""


def user_of(request: UserRequest) -> str:
    """The name of the user. Raises SettingError if the request names none."""
    if not request.user:
        raise SettingError("name the user: ?user=NAME, or send a token")
    return request.user


def text_of(request: UserRequest, name: str) -> str:
    """A text from the body. Raises SettingError if it is missing or blank, LimitError if too
    long.
    """
    value = request.body.get(name)
    if not isinstance(value, str) or not value.strip():
        raise SettingError(f'send {{"{name}": "…"}} with a text that is not empty')
    check(f"the {name}", len(value), "characters", limits().question, "say it in fewer words")
    return value


def endpoint_of(handler: Handler) -> Callable[[Request], Any]:
    """A Starlette endpoint of the handler, which runs in a thread and may block."""

    async def endpoint(request: Request) -> Response:
        try:
            body = json.loads(await request.body() or b"{}")
        except ValueError:
            body = None
        if not isinstance(body, dict):
            return JSONResponse({"detail": "the body is not a JSON object"}, 422)
        user = owner_of(request.user)
        user_request = UserRequest(
            user=request.query_params.get("user") if user is None else user,
            authenticated=user is not None,
            audience={}
            if user is None
            else {name: value for name, value in request.user.items() if isinstance(value, str)},
            role=identity.role_of(request.user),
            path=request.path_params,
            query=request.query_params,
            body=body,
            threads=OwnThreads(request.app, identity.presented(request.headers)),
            readable=identity.readable(request.user),
        )
        try:
            return JSONResponse(await run_in_threadpool(handler, user_request))
        except NotFoundError as error:
            return JSONResponse({"detail": str(error)}, 404)
        except AnamnesisError as error:
            # Operators see the full error.
            shown = error if user_request.role == "operator" else for_others(error)
            status = 422 if isinstance(error, SettingError) else 503
            return JSONResponse({"detail": str(shown)}, status)

    # The server makes its OpenAPI description from the docstrings, as YAML, which includes JSON.
    summary = {"summary": handler.__doc__, "tags": ["Anamnesis"]}
    endpoint.__doc__ = f"---\n{json.dumps(summary)}"
    return endpoint
