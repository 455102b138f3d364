"""Additions to the LangGraph server's own routes; ``app.web.on_server`` adds the web page to them.

The routes of this project (``app.server.routes``), the presets that the policy offers as
assistants, the recovery of threads that a killed server lost from its list, and a guard for routes
that the development server leaves open.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from app.server.auditing import Audited
from app.server.auth import tokens_needed
from app.server.bodies import Bodies
from app.server.login import Login
from app.server.persistence import kept_threads
from app.server.private import Private
from app.server.rates import Rates
from app.server.routes import ROUTES
from app.server.starts import forgive
from app.users.door import from_here
from nodes.policy import offered_presets
from nodes.settings.presets import PRESETS

GRAPH = "anamnesis"
"""The graph's name in ``langgraph.json``."""

_SHUT = ("/internal", "/deploy")
"""Routes of the development server that need no token: they show any thread, delete all threads,
and start a program."""
_ELSEWHERE = (
    "without tokens the server answers only requests on localhost, and none from pages of other "
    "sites; make a token with: anamnesis token add USER"
)


class Door:
    """Blocks the routes in ``_SHUT`` and, if no tokens are in use, requests from elsewhere."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass permitted requests on."""
        refused = None if scope["type"] == "lifespan" else await self._refused(scope)
        await (refused or self._app)(scope, receive, send)

    async def _refused(self, scope: Scope) -> JSONResponse | None:
        root = scope.get("root_path", "")
        path = scope["path"].removeprefix(root) + "/"
        if any(path.startswith(f"{shut}/") for shut in _SHUT):
            return JSONResponse({"detail": "not found"}, 404)
        # Requests of the server to itself have no address.
        if root.startswith("/noauth") or from_here(scope) or await run_in_threadpool(tokens_needed):
            return None
        return JSONResponse({"detail": _ELSEWHERE}, 403)


def preset_id(preset: str) -> str:
    """The id of a preset's assistant, the same on every server."""
    return str(uuid5(NAMESPACE_URL, f"anamnesis:preset:{preset}"))


@asynccontextmanager
async def _started(app: Starlette) -> AsyncIterator[None]:
    """Prepare what every request needs."""
    # A client without an address bypasses authentication, so it is used only at the start.
    async with get_client() as client:
        offered = await asyncio.to_thread(offered_presets)
        for preset, settings in PRESETS.items():
            if preset not in offered:
                # The policy may have offered this preset at the previous start.
                with suppress(NotFoundError):
                    await client.assistants.delete(preset_id(preset))
                continue
            described = ", ".join(f"{name} {json.dumps(value)}" for name, value in settings.items())
            await client.assistants.create(
                GRAPH,
                assistant_id=preset_id(preset),
                name=preset,
                description=f"The preset {preset}: {described or 'the default settings'}.",
                context={"preset": preset},
                metadata={"created_by": "system"},
                if_exists="do_nothing",
            )
        await mend(client)
    yield
    await asyncio.to_thread(forgive)


async def mend(client: LangGraphClient) -> None:
    """Update the server's list of threads, which after a kill may be up to ten seconds old."""
    there = {kept.thread: kept for kept in await asyncio.to_thread(lambda: [*kept_threads()])}
    for kept in there.values():
        await client.threads.create(
            thread_id=kept.thread,
            graph_id=kept.graph or GRAPH,
            metadata={} if kept.owner is None else {"owner": kept.owner},
            if_exists="do_nothing",
        )
    listed: list[Any] = []
    while more := await client.threads.search(
        limit=100, offset=len(listed), select=["thread_id", "values"]
    ):
        listed += more
    for thread in listed:
        # A thread without checkpoints was deleted, and must not come back.
        if thread["values"] and thread["thread_id"] not in there:
            await client.threads.delete(thread["thread_id"])


app = Starlette(
    routes=[
        Route(path, endpoint, methods=[method], name=f"{method} {path}")
        for (method, path), endpoint in ROUTES.items()
    ],
    middleware=[
        Middleware(Private),
        Middleware(Rates),
        Middleware(Bodies),
        Middleware(Door),
        Middleware(Login),
        Middleware(Audited),
    ],
    lifespan=_started,
)
"""The application that the server adds to its own, without the page."""
