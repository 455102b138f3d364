"""The page as it is mounted and served: no browser needed."""

import re
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app.cli.main import main
from app.web.page import mount, serve
from tests.app.web.pages import in_a_loop


@pytest.fixture(scope="module")
def client() -> TestClient:
    app = Starlette()
    in_a_loop(lambda: mount(app))
    return TestClient(app)


def test_the_page_is_mounted_into_a_server(client: TestClient) -> None:
    for path in ("/app", "/app/"):
        page = client.get(path)
        assert page.status_code == 200
        assert page.url.path == "/app/"
        assert "Anamnesis" in page.text


def test_the_example_of_the_docs_mounts_the_page() -> None:
    text = (Path(__file__).parents[3] / "docs" / "web.md").read_text("utf-8")
    [example] = re.findall(r"^```python app\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    in_a_loop(lambda: exec(example, names))
    assert TestClient(names["app"]).get("/app/").status_code == 200


def test_the_browser_may_load_from_nobody_else(client: TestClient) -> None:
    page = client.get("/app/")
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert page.headers["referrer-policy"] == "no-referrer"
    fetched = re.findall(r"<(?:script|img|iframe)[^>]*\bsrc=\"([^\"]*)|<link[^>]*\bhref=\"([^\"]*)",
                         page.text)  # fmt: skip
    assert fetched
    assert not [
        match for match in fetched if re.match("(https?:)?//(?!testserver)", "".join(match))
    ]


def test_nothing_is_counted_or_kept_in_the_browser(client: TestClient) -> None:
    config = client.get("/app/config").json()
    assert config["analytics_enabled"] is False
    assert config["run_history"] is False
    assert config["footer_links"] == []


def test_the_page_takes_no_files(client: TestClient) -> None:
    sent = client.post("/app/gradio_api/upload", files={"files": ("a.txt", b"several bytes")})
    assert sent.status_code >= 400
    for path in ("/etc/passwd", "/etc", "nothere", "http://127.0.0.1:1/x"):
        assert client.get(f"/app/gradio_api/file={path}").status_code == 404


def test_programs_find_no_way_in_through_the_page(client: TestClient) -> None:
    body = client.get("/app/gradio_api/info").json()
    assert body == {"named_endpoints": {}, "unnamed_endpoints": {}}


@pytest.mark.parametrize(
    ("host", "typed"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False),
     ("192.168.1.2", False), ("example.test", False)],
)  # fmt: skip
def test_names_are_typed_only_where_one_machine_reaches_the_page(
    host: str, typed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Any] = {}
    with socket.create_server(("127.0.0.1", 0)) as listening:
        monkeypatch.setattr("socket.create_server", lambda *_, **__: listening)
        monkeypatch.setattr("app.web.page.mount", lambda app, path, **more: given.update(more))
        monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: None)
        serve(host, 0, {"loop.max_rounds": 1})
    assert given == {"context": {"loop.max_rounds": 1}, "typed_names": typed}


def test_an_address_that_cannot_be_had_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        assert main(["web", "--port", str(port)]) == 2
    assert f"port {port}" in capsys.readouterr().err
    assert main(["web", "--port", "99999"]) == 2
    assert "--port" in capsys.readouterr().err


def test_a_wrong_setting_is_said_before_anything_is_served(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["web", "--set", "loop.max_rounds=0"]) == 2
    assert "max_rounds" in capsys.readouterr().err


def test_without_the_extra_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "app.web.page", raising=False)
    monkeypatch.delitem(sys.modules, "app.web.handlers", raising=False)
    monkeypatch.setitem(sys.modules, "gradio", None)
    assert main(["web"]) == 2
    assert "pip install 'anamnesis[web]'" in capsys.readouterr().err
