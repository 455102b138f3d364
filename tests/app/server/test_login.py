"""A browser gives its token once, and it goes along below /app alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from app.server import auth
from app.server.login import Login
from app.users.tokens import add_token, revoke, tokens_file


def echo(request: Request) -> PlainTextResponse:
    return PlainTextResponse(request.headers.get("authorization", "nobody"))


@pytest.fixture
def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    monkeypatch.setattr(auth, "_closed", False)
    app = Starlette(
        routes=[Route("/{path:path}", echo, methods=["GET", "POST"])],
        middleware=[Middleware(Login)],
    )
    with TestClient(app, base_url="https://here", follow_redirects=False) as client:
        yield client


def test_without_tokens_nothing_is_asked(browser: TestClient) -> None:
    assert [browser.get(page).text for page in ("/app", "/app/", "/app/login")] == ["nobody"] * 3


def test_the_token_goes_along_below_the_page_and_nowhere_else(browser: TestClient) -> None:
    token = add_token("bea")
    for page in ("/app", "/app/"):
        answered = browser.get(page)
        assert (answered.status_code, answered.headers["location"]) == (303, "/app/login")
    assert 'name="token"' in browser.get("/app/login").text
    let_in = browser.post("/app/login", data={"token": f" {token}\n"})
    assert (let_in.status_code, let_in.headers["location"]) == (303, "/app/")
    kept = let_in.headers["set-cookie"].lower()
    for text in ("httponly", "samesite=strict", "path=/app", "secure"):
        assert text in kept
    assert browser.get("/app/").text == f"Bearer {token}"
    assert browser.get("/app/config").text == f"Bearer {token}"
    sent = {"cookie": f"anamnesis_token={token}"}
    assert browser.get("/memories", headers=sent).text == "nobody"
    assert browser.get("/application", headers=sent).text == "nobody"
    assert browser.get("/app/x", headers={"authorization": "Bearer own"}).text == "Bearer own"
    browser.post("/app/logout")
    assert browser.get("/app/").status_code == 303


@pytest.mark.parametrize("given", [{"token": "<b>x</b>"}, {"token": ""}, {}])
def test_a_wrong_token_is_refused(browser: TestClient, given: dict[str, str]) -> None:
    add_token("bea")
    refused = browser.post("/app/login", data=given)
    assert refused.status_code == 401
    assert "not valid" in refused.text
    assert "<b>" not in refused.text
    assert not refused.cookies


def test_what_is_far_too_long_is_not_read(browser: TestClient) -> None:
    add_token("bea")
    assert browser.post("/app/login", data={"token": "x" * 9999}).status_code == 413


def test_a_revoked_token_leads_to_the_form(browser: TestClient) -> None:
    token = add_token("bea")
    browser.post("/app/login", data={"token": token})
    revoke("bea")
    refused = browser.get("/app/")
    assert refused.status_code == 401  # counted as any wrong token is
    assert 'name="token"' in refused.text
    assert "not valid" in refused.text


def test_a_damaged_file_of_tokens_lets_nobody_in(browser: TestClient) -> None:
    token = add_token("bea")
    tokens_file().write_text("[{")
    assert browser.post("/app/login", data={"token": token}).status_code == 401
    refused = browser.get("/app/", headers={"cookie": f"anamnesis_token={token}"})
    assert refused.status_code == 401
    assert str(tokens_file()) not in refused.text
