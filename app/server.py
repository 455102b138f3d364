"""What the LangGraph server has beside its own routes: ``app``, named by ``langgraph.json``.

Routes of this project (``app.routes``), the presets as assistants, the threads that a kill had
lost from the server's list, and a door shut on what the development server leaves open.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import NAMESPACE_URL, uuid5

from langgraph_sdk import get_client
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from app.persistence import kept_threads
from app.routes import ROUTES
from nodes.presets import PRESETS

GRAPH = "anamnesis"
"""The graph's name in ``langgraph.json``."""

_SHUT = ("/internal", "/deploy")
"""Routes of the development server that ask for no token: they show any thread, delete all of
them, and start a program."""


class Shut:
    """Answers as if the routes in ``_SHUT`` were not there."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on every other request."""
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        if any(path == shut or path.startswith(shut + "/") for shut in _SHUT):
            await JSONResponse({"detail": "not found"}, 404)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def preset_id(preset: str) -> str:
    """The id of a preset's assistant, the same on every server."""
    return str(uuid5(NAMESPACE_URL, f"anamnesis:preset:{preset}"))


@asynccontextmanager
async def _started(app: Starlette) -> AsyncIterator[None]:
    """Put in place what every request may count on."""
    # Without an address the client bypasses authentication: for this start alone, not for a route.
    async with get_client() as client:
        for preset, settings in PRESETS.items():
            told = ", ".join(f"{name} {json.dumps(value)}" for name, value in settings.items())
            await client.assistants.create(
                GRAPH,
                assistant_id=preset_id(preset),
                name=preset,
                description=f"The preset {preset}: {told or 'the default settings'}.",
                context={"preset": preset},
                metadata={"created_by": "system"},
                if_exists="do_nothing",
            )
        for kept in await asyncio.to_thread(lambda: list(kept_threads())):
            owner = {} if kept.owner is None else {"owner": kept.owner}
            await client.threads.create(
                thread_id=kept.thread,
                graph_id=kept.graph,
                metadata=owner,
                if_exists="do_nothing",
            )
    yield


app = Starlette(
    routes=[
        Route(path, endpoint, methods=[method], name=f"{method} {path}")
        for (method, path), endpoint in ROUTES.items()
    ],
    middleware=[Middleware(Shut)],
    lifespan=_started,
)
"""The application that the server takes up."""

try:
    # The page comes with the extra `web`.
    from app.web.page import mount
except ImportError:
    pass
else:
    mount(app, path="/app")
