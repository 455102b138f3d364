"""Check the body of a request before the server parses or stores it.

A body that is too long gets 413, too slow 408, nested too deeply or with invalid characters 400,
and a question that is too long, or a command to the graph, 422, each with ``{"detail": …}``.
"""

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anamnesis import SettingError
from anamnesis.limits import limits
from app.server.request_state import WRITTEN, check_request

_AT_ONCE = 65_536  # bytes; a longer body is not checked in the event loop but in a thread
# An unterminated string matches up to the end: each byte is read only once.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_NO_TEXT = "it has a NUL or half a character (a lone surrogate), which no text has; leave them out"


class RefusedError(Exception):
    """A refused request: the HTTP status and the reason."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Bodies:
    """Reads a complete request, within the limits, and passes it on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is within the limits."""
        if scope["type"] == "websocket":
            await self._app(scope, _checked(receive, send), send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            if "\0" in scope["path"] or b"%00" in scope.get("query_string", b""):
                raise RefusedError(400, f"the address cannot be read: {_NO_TEXT}")
            body = await _read(Headers(scope=scope), receive)
            if body is not None:
                scope[WRITTEN] = await _cached_check(body)
        except RefusedError as error:
            answer = JSONResponse(
                {"detail": str(error)}, error.status, headers={"connection": "close"}
            )
            await answer(scope, receive, send)
            return
        await self._app(scope, receive if body is None else _replayed(body, receive), send)


async def _read(headers: Headers, receive: Receive) -> bytes | None:
    """The body; None if the request has none or was disconnected. Raises RefusedError."""
    length, most = headers.get("content-length"), limits().body
    if length is None and "transfer-encoding" not in headers:
        return None
    too_long = RefusedError(413, f"the request is too long: at most {most:,} bytes are accepted")
    if length is not None and (not length.isdecimal() or int(length[:20]) > most):
        raise too_long
    body = bytearray()
    try:
        async with asyncio.timeout(limits().body_timeout):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                body += message.get("body", b"")
                if len(body) > most:
                    raise too_long
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        raise RefusedError(
            408,
            f"the request came too slowly: it must arrive completely within "
            f"{limits().body_timeout:.0f} s",
        ) from None


async def _cached_check(body: bytes) -> frozenset[str]:
    if len(body) > _AT_ONCE:
        return await run_in_threadpool(check_json, body)
    return check_json(body)


def check_json(body: bytes) -> frozenset[str]:
    """Raise RefusedError for JSON that is too deep, too large, or requests too much.

    Invalid JSON is left to the route that reads it. Returns the result of ``check_request``.
    """
    if body.lstrip()[:1] not in (b"{", b"["):
        return frozenset()
    allowed = limits()
    shape = _STRING.sub(b"", body)
    brackets = shape.translate(None, _NOT_BRACKETS)
    if len(brackets) / 2 + shape.count(b",") > allowed.items:
        raise RefusedError(413, f"the request contains too much: at most {allowed.items:,} values")
    depth = deepest = 0
    for bracket in brackets:
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    if deepest > allowed.depth:
        raise RefusedError(
            400,
            f"the request is nested {deepest} levels deep, and at most {allowed.depth} are "
            "accepted",
        )
    try:
        # Bytes that are not UTF-8 are refused; by itself, the module accepts lone surrogates.
        value = json.loads(body.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise RefusedError(400, "the request is not UTF-8; send JSON as UTF-8") from None
    except ValueError:
        if b"\0" in body:
            raise RefusedError(400, f"the request cannot be read: {_NO_TEXT}") from None
        return frozenset()
    for text in _texts(value):
        if "\0" in text or not _is_well_formed(text):
            raise RefusedError(400, f"the request cannot be accepted: {_NO_TEXT}")
    try:
        return check_request(value)
    except SettingError as error:
        raise RefusedError(422, str(error)) from None


def _is_well_formed(text: str) -> bool:
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _texts(value: Any) -> Iterator[str]:
    """All strings in a JSON value, including keys."""
    left = [value]
    while left:
        current = left.pop()
        if isinstance(current, str):
            yield current
        elif isinstance(current, dict):
            yield from current
            left += current.values()
        elif isinstance(current, list):
            left += current


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A receive function that returns the body already read, and then what follows."""
    given = False

    async def receive_again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again


def _checked(receive: Receive, send: Send) -> Receive:
    """The messages of a WebSocket, which is closed at a message that is refused."""

    async def receive_checked() -> Message:
        message = await receive()
        if message["type"] != "websocket.receive":
            return message
        text = message.get("text")
        body = (message.get("bytes") or b"") if text is None else text.encode("utf-8", "replace")
        try:
            if len(body) > limits().body:
                raise RefusedError(413, f"at most {limits().body:,} bytes are accepted")
            await _cached_check(body)
        except RefusedError as error:
            code = 1009 if error.status == 413 else 1008
            # A reason has 123 bytes at most.
            await send({"type": "websocket.close", "code": code, "reason": str(error)[:120]})
            return {"type": "websocket.disconnect", "code": code}
        return message

    return receive_checked
