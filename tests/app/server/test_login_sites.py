"""Another site's page logs nobody in, and nobody out."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from app.server import auth
from app.server.login import Login
from app.users.tokens import add_token


@pytest.fixture
def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    monkeypatch.setattr(auth, "_closed", False)
    app = Starlette(middleware=[Middleware(Login)])
    with TestClient(app, base_url="https://clinic.test", follow_redirects=False) as client:
        yield client


@pytest.mark.parametrize("way", ["login", "logout"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec-fetch-site": "cross-site", "origin": "https://evil.example"}, 403),
        ({"sec-fetch-site": "same-site", "origin": "https://evil.clinic.test"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "same-origin", "origin": "https://clinic.test"}, 303),
        ({"sec-fetch-site": "none"}, 303),
        ({"origin": "https://clinic.test"}, 303),
        ({}, 303),
    ],
)
def test_a_form_counts_from_the_servers_own_page_alone(
    browser: TestClient, way: str, headers: dict[str, str], status: int
) -> None:
    sent = browser.post(f"/app/{way}", data={"token": add_token("mallory")}, headers=headers)
    assert sent.status_code == status
    assert ("set-cookie" in sent.headers) is (status == 303)


def test_a_link_logs_nobody_out(browser: TestClient) -> None:
    add_token("bea")
    page = browser.get("/app/logout", headers={"sec-fetch-site": "cross-site"})
    assert "set-cookie" not in page.headers
    assert 'method="post" action="/app/logout"' in page.text
    # Without it the form that is on the page would have no origin to tell.
    assert page.headers["referrer-policy"] == "same-origin"
