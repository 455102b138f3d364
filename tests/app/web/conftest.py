"""The page served by a separate process, and a headless Chromium to look at it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[3]
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
# The page's process ends as soon as it reaches for another machine.
SERVE = """
import os, sys

def refuse(event, arguments):
    place = None
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        place = arguments[1][0]
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        place = arguments[0]
    if place not in (None, "127.0.0.1", "localhost", "::1"):
        print("reached for", place, flush=True)
        os._exit(3)

sys.addaudithook(refuse)
from app.cli.main import main
sys.exit(main(["web", "--port", "0"]))
"""


@pytest.fixture(scope="module")
def page_home(starter_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of the page's process, with memories of its own."""
    home = tmp_path_factory.mktemp("page")
    for shared in ("models", "index"):
        (home / shared).symlink_to(starter_home / shared)
    return home


@pytest.fixture(scope="module")
def address(page_home: Path) -> Iterator[str]:
    """Where the page is served. It must not have ended in the meantime."""
    log = page_home / "page.log"
    with log.open("w") as out:
        server = subprocess.Popen(
            [sys.executable, "-c", SERVE],
            cwd=ROOT,
            env={**os.environ, "ANAMNESIS_HOME": str(page_home)},
            stdout=subprocess.PIPE,
            stderr=out,
            text=True,
        )
    assert server.stdout is not None
    try:
        text = server.stdout.readline().strip()
        assert text.startswith("http://127.0.0.1:"), text + log.read_text()
        yield text + "/"
        assert server.poll() is None, server.stdout.read()
    finally:
        server.terminate()
        server.wait(20)
        server.stdout.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium; skips where none is installed.

    Its driver holds this thread's event loop: it must end with the module.
    """
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no chromium is installed: apt-get install chromium")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Callable[..., Page]]:
    """Opens the page; in the end nothing outside was asked for and no script has failed."""
    opened = []
    wrong: list[str] = []

    def open_page(width: int = 1280, scheme: str = "light") -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 844},
            color_scheme=scheme,  # type: ignore[arg-type]
        )
        opened.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("request", lambda asked: is_local(asked.url) or wrong.append(asked.url))
        page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(address)
        page.get_by_role("tab", name="Ask").wait_for()
        return page

    def is_local(url: str) -> bool:
        return url.startswith((address, "data:", "blob:"))

    yield open_page
    for context in opened:
        context.close()
    assert not wrong
