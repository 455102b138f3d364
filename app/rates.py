"""How often and how many at once: for each address, and for each token that is known to be right.

What is too much is answered with 429 and ``Retry-After``. An address that sends wrong tokens waits
ever longer: each that is sent for the first time counts. A token that was right before waits for
nobody, so that one caller's mistakes do not shut out others behind the same address. Behind a proxy
the address is the caller's where uvicorn is told to trust the proxy (``FORWARDED_ALLOW_IPS``).
"""

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from ipaddress import ip_address, ip_network
from typing import Any

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anamnesis.limits import limits
from app import identity
from app.buckets import Buckets, Delays, Open
from app.login import COOKIE, PAGE

_INSIDE = "anamnesis.inside"
_KNOWN = 10_000  # tokens that are known to be right, or wrong
_MINUTE = 60.0


def inside(app: ASGIApp) -> ASGIApp:
    """The app for requests that this process makes of itself: they are nobody's."""

    async def passed(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, _INSIDE: True}, receive, send)

    return passed


class Rates:
    """Counts requests, and refuses those that are too many."""

    def __init__(self, app: ASGIApp, clock: Callable[[], float] = time.monotonic) -> None:
        own = limits()
        self._app = app
        self._addresses = Buckets(own.address_a_minute, _MINUTE, clock)
        self._users = Buckets(own.requests_a_minute, _MINUTE, clock)
        self._wrong = Delays(own.wrong_tokens, clock)
        self._open = Open()
        self._right: OrderedDict[str, None] = OrderedDict()
        self._seen_wrong: OrderedDict[str, None] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is not too much."""
        within = scope.get(_INSIDE) or scope.get("root_path", "").startswith("/noauth")
        if scope["type"] not in ("http", "websocket") or within:
            await self._app(scope, receive, send)
            return
        address, token = address_of(scope), token_of(scope)
        known = token is not None and token in self._right
        # What is typed into the form is a token too.
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        typed = path == f"{PAGE}/login" and scope.get("method") == "POST"
        # Who sends one wrong token again and again guesses nothing.
        tried = typed or not (token is None or known or token in self._seen_wrong)
        caller = token if token is not None and known else address
        wait, why = self._refusal(address, token if known else None, tried)
        if wait:
            await _refuse(scope, receive, send, wait, why)
            return
        own = limits()
        if not self._open.begin(address, own.address_open):
            await _refuse(scope, receive, send, 1, "too many requests of this address are open")
            return
        try:
            if caller != address and not self._open.begin(caller, own.open):
                why = f"{own.open} requests of yours are open; end one first"
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
        """Seconds that the request should wait, and why; 0 lets it in."""
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
        """Answer, and learn from the status whether a token was right."""
        status = 0
        cut = False

        async def told(message: Message) -> None:
            nonlocal status, cut
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] in ("websocket.accept", "websocket.http.response.start"):
                status = message.get("status", 101)
            try:
                async with asyncio.timeout(limits().reader):
                    await send(message)
            except TimeoutError:
                cut = True
                raise

        if tried:
            # Counted before the answer: many at once are not all let in.
            self._wrong.failed(address)
        try:
            await self._app(scope, receive, told)
        except BaseException:
            # The reader took nothing for so long: the connection ends here, which is no error.
            if not cut:
                raise
        finally:
            # Authentication leaves the user in the scope.
            user = scope.get("user")
            if status == 401:
                if token is not None:
                    self._right.pop(token, None)
                    _keep(self._seen_wrong, token)
            elif status:
                if tried:
                    self._wrong.undone(address)
                if token is not None and getattr(user, "is_authenticated", False):
                    self._seen_wrong.pop(token, None)
                    _keep(self._right, token)


def _keep(tokens: OrderedDict[str, None], token: str) -> None:
    tokens[token] = None
    tokens.move_to_end(token)
    if len(tokens) > _KNOWN:
        tokens.popitem(last=False)


def address_of(scope: Scope) -> str:
    """Where a request comes from; of IPv6 the network of 64 bits, which is one household's."""
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
    """The digest of the token by which a request is known, of a header or of the page's cookie.

    However it is written and whatever else is sent: it is the one that is looked at.
    """
    asked = HTTPConnection(scope)
    secret = identity.presented(asked.headers) or asked.cookies.get(COOKIE)
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
