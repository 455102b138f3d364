"""Limits on rates and concurrent requests, per address and per valid token.

A request over a limit gets 429 and ``Retry-After``. An address that sends wrong tokens waits longer
each time; a wrong token counts only when it is sent first. A token that was valid before is not
delayed, so one caller's mistakes do not affect others at the same address. Behind a proxy the
address is the caller's only if uvicorn trusts the proxy (``FORWARDED_ALLOW_IPS``).
"""

import asyncio
import math
import time
from collections.abc import Callable
from hashlib import sha256
from ipaddress import ip_address, ip_network
from typing import Any

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anamnesis.limits import limits
from anamnesis.models.bounded_cache import BoundedCache
from app.server.buckets import Buckets, Delays, OpenCounter
from app.server.login import COOKIE, PAGE
from app.users import identity

_INSIDE = "anamnesis.inside"
_KNOWN = 10_000  # tokens that are remembered as right or wrong
_MINUTE = 60.0


def internal_requests(app: ASGIApp) -> ASGIApp:
    """The app for requests of this process to itself, which belong to no user."""

    async def passed(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, _INSIDE: True}, receive, send)

    return passed


class Rates:
    """Counts requests, and refuses those over a limit."""

    def __init__(self, app: ASGIApp, clock: Callable[[], float] = time.monotonic) -> None:
        allowed = limits()
        self._app = app
        self._addresses = Buckets(allowed.address_requests_a_minute, _MINUTE, clock)
        self._users = Buckets(allowed.requests_a_minute, _MINUTE, clock)
        self._wrong = Delays(allowed.wrong_tokens, clock)
        self._open = OpenCounter()
        self._right, self._seen_wrong = BoundedCache[bool](_KNOWN), BoundedCache[bool](_KNOWN)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on if it is within the limits."""
        within = scope.get(_INSIDE) or scope.get("root_path", "").startswith("/noauth")
        if scope["type"] not in ("http", "websocket") or within:
            await self._app(scope, receive, send)
            return
        address, token = address_of(scope), token_of(scope)
        known = token is not None and bool(self._right.get([token]))
        # The input in the login form is a token, too.
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        typed = path == f"{PAGE}/login" and scope.get("method") == "POST"
        # Repeating one wrong token is not guessing.
        tried = typed or not (token is None or known or self._seen_wrong.get([token]))
        caller = token if token is not None and known else address
        wait, why = self._refusal(address, token if known else None, tried)
        if wait:
            await _refuse(scope, receive, send, wait, why)
            return
        allowed = limits()
        if not self._open.begin(address, allowed.address_requests_at_once):
            await _refuse(scope, receive, send, 1, "too many requests from this address are open")
            return
        try:
            if caller != address and not self._open.begin(caller, allowed.requests_at_once):
                why = f"{allowed.requests_at_once} of your requests are open; end one first"
                await _refuse(scope, receive, send, 1, why)
                return
            try:
                await self._passed(scope, receive, send, address, token, tried)
            finally:
                if caller != address:
                    self._open.end(caller)
        finally:
            self._open.end(address)

    def _refusal(self, address: str, known: str | None, tried: bool) -> tuple[float, str]:
        """The seconds that the request must wait, and the reason; 0 admits it."""
        if tried and (wait := self._wrong.wait(address)):
            return wait, "too many wrong tokens came from this address"
        if wait := self._addresses.take(address):
            return wait, "too many requests came from this address"
        if known and (wait := self._users.take(known)):
            return wait, "you have sent too many requests"
        return 0.0, ""

    async def _passed(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        address: str,
        token: str | None,
        tried: bool,
    ) -> None:
        """Pass the request on, and learn from the status whether its token was valid."""
        status = 0
        cut = False

        async def forward(message: Message) -> None:
            nonlocal status, cut
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] in ("websocket.accept", "websocket.http.response.start"):
                status = message.get("status", 101)
            try:
                async with asyncio.timeout(limits().send_timeout):
                    await send(message)
            except TimeoutError:
                cut = True
                raise

        if tried:
            # Counted before the response, so that many concurrent requests are not all admitted.
            self._wrong.failed(address)
        try:
            await self._app(scope, receive, forward)
        except BaseException:
            # The client did not read for too long: the connection is closed, which is no error.
            if not cut:
                raise
        finally:
            # Authentication leaves the user in the scope.
            user = scope.get("user")
            if status == 401:
                if token is not None:
                    self._right.drop(token)
                    self._seen_wrong.put({token: True})
            elif status:
                if tried:
                    self._wrong.undo_failure(address)
                if token is not None and getattr(user, "is_authenticated", False):
                    self._seen_wrong.drop(token)
                    self._right.put({token: True})


def address_of(scope: Scope) -> str:
    """The address of a request; for IPv6 its 64-bit network, which belongs to one household."""
    client: Any = scope.get("client")
    host = client[0] if client else ""
    try:
        address = ip_address(host)
    except ValueError:
        return str(host)
    if address.version == 6:
        return str(ip_network((address, 64), strict=False))
    return str(address)


def token_of(scope: Scope) -> str | None:
    """The digest of the token that authenticates a request, from a header or the page's cookie.

    It is always the token that authentication uses, even if others are sent.
    """
    connection = HTTPConnection(scope)
    secret = identity.presented(connection.headers) or connection.cookies.get(COOKIE)
    return sha256(secret.encode("utf-8", "replace")).hexdigest() if secret else None


async def _refuse(scope: Scope, receive: Receive, send: Send, wait: float, why: str) -> None:
    seconds = max(1, math.ceil(wait))
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1013, "reason": why[:120]})
        return
    answer = JSONResponse(
        {"detail": f"{why}; try again in {seconds} s"}, 429, headers={"retry-after": str(seconds)}
    )
    await answer(scope, receive, send)
