"""An answer on the page while it is made, and the parts that not every answer has."""

from typing import Any

from app.web.progress import progress_html
from tests.app.web.pages import one, read
from tests.app.web.test_answering import HOSTILE


def test_progress_shows_the_steps_and_calls_a_draft_a_draft() -> None:
    page = read(progress_html([("screen", 1), ("retrieve", 2), ("verify", 2)], ["Honey cures."]))
    assert [element["class"] for element in page.select("li")] == [["done"], ["done"], ["doing"]]
    assert one(page, "[aria-current=step]").get_text().startswith("Checking each statement")
    assert "(search 2)" in page.get_text()
    assert one(page, ".draft .label").get_text() == "Draft: not checked yet"
    assert not read(progress_html([("screen", 1)])).select(".draft, [role=alert]")


def test_whom_to_call_about_a_possible_emergency_is_shown_before_anything_is_found() -> None:
    page = read(progress_html([("retrieve", 1)], urgent="Call 112 now."))
    assert one(page, "[role=alert]").get_text(" ") == "Get help now Call 112 now."


def test_statements_that_are_checked_are_distinguished_from_the_draft() -> None:
    place = {"id": "a", "title": HOSTILE, "url": "https://a.test", "source": "", "text": "x"}
    run: Any = {
        "type": "statement",
        "text": HOSTILE,
        "verdict": "supported",
        "evidence": [place],
        "conflict": None,
    }
    against = {**run, "text": "Rest helps.", "conflict": place}
    page = read(progress_html([("generate", 1)], ["Honey helps."], [run, against]))
    first, second = page.select(".checked li")
    assert HOSTILE in first.get_text()
    assert "✓ Supported" in first.get_text()
    assert one(first, "a")["href"] == "https://a.test"
    assert "≠ Sources disagree" in second.get_text()
    assert not page.select("script, img")
    assert "Honey helps." not in one(page, ".checked").get_text()
    assert "Honey helps." in one(page, ".draft").get_text()
