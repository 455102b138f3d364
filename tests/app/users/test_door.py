"""Without tokens only what is from this machine comes in."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from app.users.door import FromHere, is_here


def echo(request: Request) -> PlainTextResponse:
    return PlainTextResponse("in")


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("localhost:7860", None, 200),
        ("127.0.0.1:7860", "http://127.0.0.1:7860", 200),
        ("[::1]:7860", "http://localhost:7860", 200),
        ("evil.example:7860", None, 403),
        ("evil.example:7860", "http://evil.example:7860", 403),
        ("127.0.0.1.evil.example", None, 403),
        ("localhost:7860", "https://evil.example", 403),
        ("localhost:7860", "null", 403),
        ("localhost:7860", "http://[", 403),
    ],
)
def test_another_name_and_another_sites_page_are_refused(
    host: str, origin: str | None, status: int
) -> None:
    app = Starlette(
        routes=[Route("/", echo, methods=["GET", "POST"])], middleware=[Middleware(FromHere)]
    )
    headers = {"host": host} | ({} if origin is None else {"origin": origin})
    with TestClient(app) as client:
        for method in ("GET", "POST"):
            assert client.request(method, "/", headers=headers).status_code == status


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.0.0.2", "::1"])
def test_names_of_this_machine(host: str) -> None:
    assert is_here(host)


@pytest.mark.parametrize("host", [None, "", "0.0.0.0", "::", "192.168.1.2", "localhost.example"])
def test_names_of_others(host: str | None) -> None:
    assert not is_here(host)
