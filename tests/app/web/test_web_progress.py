"""An answer on the page while it is made, and the parts that not every answer has."""

from typing import Any

from app.web.answering import answer_html
from app.web.progress import progress_html
from nodes.writing.render import ABOVE, render
from tests.app.web.pages import answer, one, read, statement
from tests.app.web.test_answering import HOSTILE
from tests.nodes.remembering.test_remembering_replies import CALM


def test_progress_tells_the_steps_and_calls_a_draft_a_draft() -> None:
    page = read(progress_html([("screen", 1), ("retrieve", 2), ("verify", 2)], ["Honey cures."]))
    assert [own["class"] for own in page.select("li")] == [["done"], ["done"], ["doing"]]
    assert one(page, "[aria-current=step]").get_text().startswith("Checking each statement")
    assert "(search 2)" in page.get_text()
    assert one(page, ".draft .label").get_text() == "Draft: not checked yet"
    assert not read(progress_html([("screen", 1)])).select(".draft, [role=alert]")


def test_whom_to_call_about_a_possible_emergency_is_shown_before_anything_is_found() -> None:
    page = read(progress_html([("retrieve", 1)], urgent="Call 112 now."))
    assert one(page, "[role=alert]").get_text(" ") == "Get help now Call 112 now."


def test_each_question_of_a_message_has_a_heading_and_one_without_an_answer_its_pages() -> None:
    near = {"id": "b", "title": "B", "url": "https://b.test", "source": "", "sentence": HOSTILE}
    first = {"question": "A?", "answered": True, "verdict": "yes", "relevance": 0.9, "nearest": []}
    second = {**first, "question": "B?", "answered": False, "verdict": None, "nearest": [near]}
    second["note"] = HOSTILE
    changes = {"outcome": "partial", "reason": "part_unanswered", "parts": [first, second]}
    page = read(answer_html(answer(statements=[statement(part=1)], **changes)))
    headings = [own.get_text() for own in page.select("h3.part")]
    assert headings == ["A?", "No answer was found to: B?"]
    assert one(page, ".direct").get_text() == "Yes, according to the source:"
    assert len(page.select("ol.statements > li")) == 1
    assert one(page, ".nearest blockquote").get_text() == HOSTILE
    assert one(page, "h3.part + p.note").get_text() == HOSTILE


def test_a_statement_on_two_questions_is_shown_for_the_first() -> None:
    first = {"question": "A?", "answered": True, "verdict": None, "relevance": 0.9, "nearest": []}
    both = [first, {**first, "question": "B?"}]
    said = answer(statements=[statement(part=1), statement(part=2)], parts=both)
    page = read(answer_html(said))
    assert len(page.select("ol.statements > li")) == 1
    assert page.select("h3.part")[1].find_next("p").get_text() == ABOVE
    text, _ = render(said, CALM, None)
    assert text.count(statement()["text"]) == 1
    assert text.index("“B?”") < text.index(ABOVE)


def test_statements_that_are_checked_are_told_apart_from_the_draft() -> None:
    place = {"id": "a", "title": HOSTILE, "url": "https://a.test", "source": "", "text": "x"}
    told: Any = {
        "type": "statement",
        "text": HOSTILE,
        "verdict": "supported",
        "evidence": [place],
        "conflict": None,
    }
    against = {**told, "text": "Rest helps.", "conflict": place}
    page = read(progress_html([("generate", 1)], ["Honey helps."], [told, against]))
    first, second = page.select(".checked li")
    assert HOSTILE in first.get_text()
    assert "✓ Supported" in first.get_text()
    assert one(first, "a")["href"] == "https://a.test"
    assert "≠ Sources disagree" in second.get_text()
    assert not page.select("script, img")
    assert "Honey helps." not in one(page, ".checked").get_text()
    assert "Honey helps." in one(page, ".draft").get_text()


def test_whose_judgement_decided_is_told_where_there_are_two_critics() -> None:
    own = statement(checked_by="llm:ollama:llama3.1")
    page = read(answer_html(answer(statements=[own, statement()])))
    assert [told.get_text() for told in page.select(".by")] == ["Checked by llm:ollama:llama3.1"]
