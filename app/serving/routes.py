"""The routes of a model server, for the APIs of OpenAI, Text Embeddings Inference and Cohere."""

import hmac
import json
import logging
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from anamnesis.errors import AnamnesisError
from anamnesis.models.classifier import OverlongPairError
from anamnesis.models.encoder import Vectors
from anamnesis.models.reading import Reading
from app.serving.batching import Batcher, BusyError
from app.serving.models import Served, base64_vectors, json_vectors

log = logging.getLogger(__name__)

BODY = 4_194_304
"""Maximum bytes of a request."""
ITEMS = 512
"""Texts, pairs or passages of a request."""

Body = dict[str, Any]


class _BadRequestError(AnamnesisError, ValueError):
    """A request in the wrong form for its route, or too large (413)."""

    def __init__(self, message: str, status: int = 422) -> None:
        super().__init__(message)
        self.status = status


def application(served: Served, token: str | None = None) -> Starlette:
    """The server's application; with a ``token``, requests must send it."""

    def route(path: str, answer: Callable[[Body], Any]) -> Route:
        async def handle(request: Request) -> Response:
            if refused := _refused(request, token):
                return refused
            try:
                body = await _body(request)
                return JSONResponse(await run_in_threadpool(answer, body))
            except _BadRequestError as error:
                return _error(error.status, str(error))
            except OverlongPairError as error:
                return _error(413, str(error))
            except BusyError as error:
                return _error(429, str(error), {"retry-after": "1"})
            except Exception:
                log.exception("%s failed", path)
                return _error(500, "the model failed; the server's log says why")

        return Route(path, handle, methods=["POST"])

    async def info(request: Request) -> Response:
        return _refused(request, token) or JSONResponse(served.info)

    async def models(request: Request) -> Response:
        rows = [{"id": served.info["model_id"], "object": "model", "owned_by": "anamnesis"}]
        return _refused(request, token) or JSONResponse({"object": "list", "data": rows})

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    routes = [
        Route("/health", health),
        Route("/info", info),
        Route("/v1/models", models),
        route("/v1/embeddings", lambda body: _openai(served, body)),
        route("/embed", lambda body: _tei_embed(served, body)),
        route("/v2/embed", lambda body: _cohere_embed(served, body)),
        route("/rerank", lambda body: _tei_rerank(served, body)),
        route("/v2/rerank", lambda body: _cohere_rerank(served, body)),
        route("/predict", lambda body: _predict(served, body)),
        route("/read", lambda body: _read(served, body)),
    ]
    return Starlette(routes=routes)


def _refused(request: Request, token: str | None) -> Response | None:
    if token is None:
        return None
    given = request.headers.get("authorization", "")
    if hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
        return None
    return _error(401, "this server requires a token")


def _error(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": {"message": message}}, status, headers)


async def _body(request: Request) -> Body:
    """The JSON object of a request. Raises _BadRequestError if it is invalid or too large."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > BODY:
            message = f"a request has {BODY} bytes at most; send fewer texts at once"
            raise _BadRequestError(message, 413)
        parts.append(part)
    try:
        found = json.loads(b"".join(parts))
    except (ValueError, RecursionError) as error:
        raise _BadRequestError("the request is not JSON") from error
    if not isinstance(found, dict):
        raise _BadRequestError("the request is not a JSON object")
    return found


def _texts(body: Body, name: str) -> list[str]:
    found = body.get(name)
    found = [found] if isinstance(found, str) else found
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise _BadRequestError(f"{name} must be a text or a list of texts")
    return _limited(found, name)


def _text(body: Body, name: str) -> str:
    found = body.get(name)
    if not isinstance(found, str):
        raise _BadRequestError(f"{name} must be a text")
    return found


def _pairs(body: Body, name: str) -> list[tuple[str, str]]:
    found = body.get(name)
    if not isinstance(found, list):
        raise _BadRequestError(f"{name} must be a list of pairs of texts")
    if len(found) == 2 and all(isinstance(item, str) for item in found):
        found = [found]
    pairs = []
    for item in _limited(found, name):
        match item:
            case [str(one), str(other)]:
                pairs.append((one, other))
            case _:
                raise _BadRequestError(f"{name} must be a list of pairs of texts")
    return pairs


def _limited(found: list[Any], name: str) -> list[Any]:
    if not 0 < len(found) <= ITEMS:
        raise _BadRequestError(f"{name} has {len(found)} entries; send 1 to {ITEMS} at once")
    return found


def _vectors(queue: Batcher[str, Any] | None, texts: Sequence[str]) -> Vectors:
    return np.asarray(_asked(queue, "embedder").ask(texts), np.float32)


def _asked(queue: Any, what: str) -> Any:
    if queue is None:
        raise _BadRequestError(f"this server has no {what}")
    return queue


def _tei_embed(served: Served, body: Body) -> list[list[float]]:
    queue = served.queries if body.get("query") is True else served.documents
    return json_vectors(_vectors(queue, _texts(body, "inputs")))


def _openai(served: Served, body: Body) -> Body:
    form, given = body.get("encoding_format") or "float", body.get("input")
    if form not in ("float", "base64"):
        raise _BadRequestError("encoding_format must be float or base64")
    if isinstance(given, list) and any(isinstance(item, int | list) for item in given):
        raise _BadRequestError(
            "input has the token numbers of another model's tokenizer, and this server takes texts "
            "only; send texts (LangChain: OpenAIEmbeddings(check_embedding_ctx_length=False))"
        )
    vectors = _vectors(served.documents, _texts(body, "input"))
    rows = json_vectors(vectors) if form == "float" else base64_vectors(vectors)
    data = [{"object": "embedding", "index": n, "embedding": item} for n, item in enumerate(rows)]
    used = {"prompt_tokens": 0, "total_tokens": 0}
    return {"object": "list", "data": data, "model": served.info["model_id"], "usage": used}


def _cohere_embed(served: Served, body: Body) -> Body:
    query = body.get("input_type") == "search_query"
    queue = served.queries if query else served.documents
    vectors = _vectors(queue, _texts(body, "texts"))
    return {"embeddings": {"float": json_vectors(vectors)}}


def _readings(served: Served, question: str, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
    found: list[Reading] = _asked(served.readings, "reranker").ask([(question, p) for p in pairs])
    return found


def _ranked(served: Served, query: str, texts: Sequence[str], name: str) -> list[Body]:
    found = _readings(served, query, [("", text) for text in texts])
    rows: list[Body] = [{"index": n, name: float(item.relevance)} for n, item in enumerate(found)]
    return sorted(rows, key=lambda item: -float(item[name]))


def _tei_rerank(served: Served, body: Body) -> list[Body]:
    return _ranked(served, _text(body, "query"), _texts(body, "texts"), "score")


def _cohere_rerank(served: Served, body: Body) -> Body:
    rows = _ranked(served, _text(body, "query"), _texts(body, "documents"), "relevance_score")
    top = body.get("top_n")
    return {"results": rows[:top] if isinstance(top, int) and top > 0 else rows}


def _predict(served: Served, body: Body) -> list[list[Body]]:
    cut = body.get("truncate") is not False
    pairs = [(pair, cut) for pair in _pairs(body, "inputs")]
    rows = _asked(served.labels, "critic").ask(pairs)
    return [
        sorted(
            ({"label": name, "score": value} for name, value in item.items()),
            key=lambda one: -float(one["score"]),
        )
        for item in rows
    ]


def _read(served: Served, body: Body) -> list[Body]:
    pairs = _pairs(body, "passages") if body.get("passages") else []
    found = _readings(served, _text(body, "question"), pairs) if pairs else []
    return [
        {"relevance": item.relevance, "sentences": item.sentences, "polar": item.polar}
        for item in found
    ]
