"""The speed of the web page in a real browser.

    python -m benchmarks.page [--times 10] [--index DIR] [--pictures DIR]

Printed: the time until the server responds; then, each time in a browser with an empty cache, the
time until the page can be used (the question can be typed and another tab opened), compared with
one style sheet of the same server; and, after pressing Enter, the times until the first progress
and the answer are shown, after one question that loads the models. Needs Chromium. ``--pictures``
measures nothing: it writes the pictures of docs/web.md to the folder.
"""

import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from benchmarks.command_line import command_line
from benchmarks.questions import QUESTIONS

_FLAGS = "--no-sandbox --disable-gpu --disable-quic --disable-background-networking".split()


def load(browser: Browser, address: str, question: str) -> dict[str, float]:
    context = browser.new_context()
    page = context.new_page()
    start = time.perf_counter()
    page.goto(f"{address}/theme.css")
    times = {"a style sheet": time.perf_counter() - start}
    context.close()
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(120_000)
    start = time.perf_counter()
    page.goto(address)
    field = page.get_by_label("Question", exact=True).locator("visible=true")
    field.fill(question)
    page.get_by_role("tab", name="Compare").click()
    page.get_by_placeholder("See what each search finds").wait_for()
    times["page can be used"] = time.perf_counter() - start
    page.get_by_role("tab", name="Ask").click()
    start = time.perf_counter()
    field.press("Enter")
    page.locator(".progress, .answer, .notice").first.wait_for()
    times["first progress"] = time.perf_counter() - start
    page.locator(".answer, .notice").first.wait_for()
    times["answer"] = time.perf_counter() - start
    context.close()
    return times


def pictures(browser: Browser, address: str, folder: Path) -> None:
    """An answer to a yes/no question, and the trace of a follow-up question."""
    load(browser, address, QUESTIONS[0])  # of the models
    page = browser.new_page(viewport={"width": 1180, "height": 1010})
    page.set_default_timeout(120_000)
    page.goto(address)

    def ask(question: str) -> None:
        field = page.get_by_label("Question", exact=True).locator("visible=true")
        field.fill(question)
        field.press("Enter")
        page.get_by_role("heading", name=question, exact=True).wait_for()

    ask("Is psoriasis contagious?")
    page.mouse.click(1170, 10)  # outside the field, which loses the focus
    page.screenshot(path=folder / "web.png", full_page=True)
    ask("How is it treated?")
    page.get_by_role("tab", name="Trace").click()
    page.locator(".timeline summary", has_text="verify").click()
    page.locator(".trace").screenshot(path=folder / "trace.png")
    for name in ("web.png", "trace.png"):
        Image.open(folder / name).convert("RGB").quantize(64).save(folder / name, optimize=True)


def main() -> None:
    options = command_line(__doc__)
    options.add_argument("--times", type=int, default=10)
    options.add_argument("--index")
    options.add_argument("--pictures", type=Path)
    given = options.parse_args()
    command = [sys.executable, "-m", "anamnesis", "web", "--port", "0"]
    command += ["--index", given.index] if given.index else []
    start = time.perf_counter()
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = server.stdout.readline().strip()
    print(f"server up: {time.perf_counter() - start:.1f} s")
    try:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=_FLAGS)
            if given.pictures:
                pictures(browser, address, given.pictures)
                return
            load(browser, address, QUESTIONS[0])
            found = [
                load(browser, address, QUESTIONS[number % len(QUESTIONS)])
                for number in range(1, given.times + 1)
            ]
            browser.close()
    finally:
        server.terminate()
        server.wait()
    for name in found[0]:
        values = [times[name] for times in found]
        print(
            f"{name}: median {statistics.median(values):.2f} s, "
            f"{min(values):.2f} to {max(values):.2f} s ({len(values)} times)"
        )


if __name__ == "__main__":
    main()
