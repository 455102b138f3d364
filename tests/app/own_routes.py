"""The server's own routes in this process, asked by the users that tokens name."""

from typing import Any

from starlette.applications import Starlette
from starlette.authentication import AuthCredentials, AuthenticationBackend, SimpleUser
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import HTTPConnection
from starlette.routing import Route
from starlette.testclient import TestClient

from app.server.routes import ROUTES


class User(SimpleUser):
    """A user with a name and roles."""

    def __init__(self, name: str, *roles: str) -> None:
        super().__init__(name)
        self.permissions = [*roles]

    @property
    def identity(self) -> str:
        return self.username

    def items(self) -> list[tuple[str, Any]]:
        return []


class ByToken(AuthenticationBackend):
    """A token is the user's name and roles, such as ``eve expert``; without one nobody is known."""

    async def authenticate(self, conn: HTTPConnection) -> tuple[AuthCredentials, SimpleUser] | None:
        token = conn.headers.get("authorization", "").removeprefix("Bearer ").split()
        return (AuthCredentials(), User(*token)) if token else None


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def asked_by(token: str | None = None, *more: Route) -> TestClient:
    """A client of the routes, and of ``more``, with this token."""
    routes = [Route(path, made, methods=[method]) for (method, path), made in ROUTES.items()]
    by_token = Middleware(AuthenticationMiddleware, backend=ByToken())
    app = Starlette(routes=[*routes, *more], middleware=[by_token])
    return TestClient(app, headers=bearer(token) if token else {})
