"""Forbid caching of personal responses, and confirm a deletion only once it is on disk."""

import logging
from contextvars import ContextVar

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anamnesis import DataFileError
from app.server import durable
from app.server.callers import with_path

# Not personal: information about the server, and the page's static files.
_PUBLIC = ("/ok", "/info", "/metrics", "/docs", "/openapi.json")
_PROGRAM = ("/app/assets/", "/app/static/", "/app/theme.css", "/app/svelte/")
# A rating may delete the rated memory.
_REMOVING = ("/prune", "/cancel", "/rating", "/feedback")

_UNWRITTEN = (
    "it is deleted, but comes back if the server is killed now; send the request again. The "
    "reason is in the server's log"
)
_log = logging.getLogger(__name__)

_answering: ContextVar[bool] = ContextVar("answering", default=False)


class Private:
    """Forbids caching of responses, and responds to a deletion once it is on disk."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        durable.install()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and process the response."""
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        with with_path(path):
            if scope["type"] != "http":
                await self._app(scope, receive, send)
                return
            # Requests that the server sends to itself in the meantime are covered by the outer one.
            removes = not _answering.get() and _removes(scope["method"], path)
            refused = False
            token = _answering.set(True)

            async def forward(message: Message) -> None:
                nonlocal refused
                if message["type"] == "http.response.start":
                    if removes and message["status"] < 400 and (wrong := await _unwritten()):
                        refused = True
                        await wrong(scope, receive, send)
                    elif path not in _PUBLIC and not path.startswith(_PROGRAM):
                        MutableHeaders(scope=message)["cache-control"] = "no-store"
                if not refused:
                    await send(message)

            try:
                await self._app(scope, receive, forward)
            finally:
                _answering.reset(token)


async def _unwritten() -> JSONResponse | None:
    """The error response if the deletion is not on disk; otherwise None."""
    try:
        await run_in_threadpool(durable.flush)
    except DataFileError as error:
        _log.error("%s", error)
        return JSONResponse({"detail": _UNWRITTEN}, 503, {"cache-control": "no-store"})
    return None


def _removes(method: str, path: str) -> bool:
    return method in ("DELETE", "PATCH") or (method == "POST" and path.endswith(_REMOVING))
