"""Without authentication, admit only programs and pages on this machine.

A browser sends the site of the requesting page in ``Origin``; ``Host`` shows a foreign name that
was made to resolve to this machine (DNS rebinding).
"""

from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_ELSEWHERE = "this page is for this machine only: open it as http://localhost"


def is_here(host: str | None) -> bool:
    """Whether only this machine reaches the address."""
    try:
        return ip_address(host or "").is_loopback
    except ValueError:
        return host == "localhost"


def from_here(scope: Scope) -> bool:
    """Whether a request uses a name of this machine and does not come from another site's page."""
    headers = Headers(scope=scope)
    names = [f"//{headers.get('host', '')}", *headers.getlist("origin")]
    try:
        return all(is_here(urlsplit(name).hostname) for name in names)
    except ValueError:
        return False


class FromHere:
    """Passes on requests from this machine and refuses others with status 403."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass permitted requests on."""
        let_in = scope["type"] == "lifespan" or from_here(scope)
        await (self._app if let_in else JSONResponse({"detail": _ELSEWHERE}, 403))(
            scope, receive, send
        )
