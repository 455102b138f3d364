"""The routes of a model server, for the APIs of OpenAI, Text Embeddings Inference and Cohere."""

import asyncio
import hmac
import logging
from collections.abc import Callable
from threading import Event
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from anamnesis.models.classifier import OverlongPairError
from app.serving import dialects
from app.serving.batching import AbandonedError, BusyError, dropped_after
from app.serving.models import Served
from app.serving.requests import BadRequestError, Body, read_body

log = logging.getLogger(__name__)

Answer = Callable[[Served, Body], Any]
ErrorForm = Callable[[int, str], Body]


def application(served: Served, token: str | None = None) -> Starlette:
    """The server's application; with a ``token``, requests must send it."""

    def route(path: str, answer: Answer, form: ErrorForm, wrong: int = 422) -> Route:
        """A route whose errors have the ``form`` of its API; ``wrong`` is its status for requests
        in the wrong form.
        """

        async def handle(request: Request) -> Response:
            if refused := _refused(request, token, form):
                return refused
            try:
                body = await read_body(request)
                return JSONResponse(await _while_connected(request, lambda: answer(served, body)))
            except BadRequestError as error:
                status = wrong if error.status == 422 else error.status
                return JSONResponse(form(status, str(error)), status)
            except OverlongPairError as error:
                return JSONResponse(form(413, str(error)), 413)
            except BusyError as error:
                return JSONResponse(form(429, str(error)), 429, {"retry-after": "1"})
            except AbandonedError:
                return Response(status_code=499)  # nobody reads it
            except Exception:
                log.exception("%s failed", path)
                shown = "the model failed; the server's log says why"
                return JSONResponse(form(500, shown), 500)

        return Route(path, handle, methods=["POST"])

    async def info(request: Request) -> Response:
        return _refused(request, token, dialects.tei_error) or JSONResponse(served.info)

    async def models(request: Request) -> Response:
        rows = [{"id": served.info["model_id"], "object": "model", "owned_by": "anamnesis"}]
        return _refused(request, token, dialects.openai_error) or JSONResponse(
            {"object": "list", "data": rows}
        )

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    tei, cohere = dialects.tei_error, dialects.cohere_error
    routes = [
        Route("/health", health),
        Route("/info", info),
        Route("/v1/models", models),
        route("/v1/embeddings", dialects.openai_embeddings, dialects.openai_error, 400),
        route("/embed", dialects.tei_embed, tei),
        route("/v2/embed", dialects.cohere_embed, cohere, 400),
        route("/rerank", dialects.tei_rerank, tei),
        route("/v1/rerank", dialects.cohere_rerank, cohere, 400),
        route("/v2/rerank", dialects.cohere_rerank, cohere, 400),
        route("/predict", dialects.tei_predict, tei),
        route("/read", dialects.read, tei),
    ]
    return Starlette(routes=routes)


async def _while_connected(request: Request, answer: Callable[[], Any]) -> Any:
    """The answer, by a thread; the models drop what waits for them when the caller has gone."""
    gone = Event()

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        gone.set()

    watching = asyncio.create_task(watch())
    try:
        with dropped_after(gone):
            return await run_in_threadpool(answer)
    finally:
        watching.cancel()


def _refused(request: Request, token: str | None, form: ErrorForm) -> Response | None:
    if token is None:
        return None
    given = request.headers.get("authorization", "")
    if hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
        return None
    return JSONResponse(form(401, "this server requires a token"), 401)
