"""Login in a browser: the token is typed in once and kept in a cookie for the page only.

The cookie is valid only below ``/app``, so that no other site's form can use the server's routes in
the name of the logged-in user.
"""

from html import escape
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from anamnesis import AuditError, SettingError
from app.server import auditing
from app.server.auth import tokens_needed
from app.users import identity

PAGE = "/app"
"""The path of the page."""

COOKIE = "anamnesis_token"
"""The name of the cookie."""

_MOST = 4096  # bytes of a form
_FORM = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Anamnesis</title>
<style>:root{{color-scheme:light dark}}body{{font:1.1rem/1.5 system-ui,sans-serif;max-width:26rem;
margin:12vh auto;padding:0 1rem}}input,button{{font:inherit;width:100%;box-sizing:border-box;
padding:.5rem;margin:.3rem 0}}</style>
<h1>Anamnesis</h1><form method="post" action="{action}">{fields}</form><p role="alert">{message}</p>
</html>"""
_TOKEN = """<label for="token">Your token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button>Open</button>"""
_WRONG = "That token is not valid. The server's operator makes one with: anamnesis token add USER"
_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
    "frame-ancestors 'none'",
    "referrer-policy": "same-origin",  # a stricter policy hides the origin
    "cache-control": "no-store",
}


class Login:
    """Asks a browser for a token below ``/app``, and adds it to each of its requests."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the form, or pass the request on with the cookie's token."""
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        below = path == PAGE or path.startswith(f"{PAGE}/")
        if scope["type"] != "http" or not below or not await run_in_threadpool(tokens_needed):
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        answer: Response | None = None
        if path in (f"{PAGE}/login", f"{PAGE}/logout"):
            if request.method == "POST" and not _of_own_page(request):
                answer = PlainTextResponse("open this server's own page, and try again there", 403)
            else:
                answer = await _login(request) if path.endswith("login") else _logout(request)
        elif not identity.presented(request.headers):
            token = request.cookies.get(COOKIE, "")
            if request.method == "GET" and path in (PAGE, f"{PAGE}/"):
                answer = await _check_cookie(request, token)
            if answer is None and token:
                MutableHeaders(scope=scope)["authorization"] = f"Bearer {token}"
        await (answer or self._app)(scope, receive, send)


def _of_own_page(request: Request) -> bool:
    """Whether a form was sent from a page of this server, or by a program other than a browser."""
    headers = request.headers
    if site := headers.get("sec-fetch-site"):
        return site in ("same-origin", "none")
    # Browsers send the site only on secure addresses, but the origin on all.
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host")


def _logout(request: Request) -> Response:
    """The form; deletes the cookie."""
    if request.method != "POST":
        return HTMLResponse(_page("logout", "<button>Log out</button>", ""), 200, _HEADERS)
    answer = RedirectResponse("login", 303)
    answer.delete_cookie(COOKIE, path=PAGE)
    return answer


async def _login(request: Request) -> Response:
    """The form, and the token that was typed in."""
    if request.method != "POST":
        return _form("")
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _MOST:
            return _form("That is not a token.", 413)
    token = parse_qs(body.decode("utf-8", "replace")).get("token", [""])[0].strip()
    try:
        if problem := await run_in_threadpool(_refused, request, token):
            return _form(problem, 401)
    except AuditError as error:  # no login without an audit entry
        return _form(str(error), 503)
    answer = RedirectResponse(f"{PAGE}/", 303)
    answer.set_cookie(
        COOKIE,
        token,
        path=PAGE,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return answer


def _refused(request: Request, token: str) -> str | None:
    """The reason why a token is refused; None if it is accepted and the login is recorded."""
    user, problem = _user_of_token(request, token)
    if user is not None:
        auditing.logged_in(request.scope, user["identity"])
    return problem


async def _check_cookie(request: Request, token: str) -> Response | None:
    """The form, if the browser's cookie is missing or wrong; None if it is valid."""
    if not token:
        return RedirectResponse(f"{PAGE}/login", 303)
    # A wrong cookie is a wrong token: it is recorded, and counted by its status.
    _, problem = await run_in_threadpool(_user_of_token, request, token)
    return _form(problem, 401) if problem else None


def _user_of_token(request: Request, token: str) -> tuple[dict[str, Any] | None, str | None]:
    """The user of the token, or the reason to record if it is refused."""
    try:
        user, problem, reason = identity.user_of(token), _WRONG, "wrong"
    except SettingError as error:
        user, (problem, why) = None, identity.refusal(error)
        reason = why or "not read"
    if user is None:
        auditing.record_refusal(request.scope, reason)
        return None, problem
    return user, None


def _form(message: str, status: int = 200) -> Response:
    return HTMLResponse(_page("login", _TOKEN, message), status, _HEADERS)


def _page(action: str, fields: str, message: str) -> str:
    return _FORM.format(action=f"{PAGE}/{action}", fields=fields, message=escape(message))
