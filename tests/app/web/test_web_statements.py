"""The statements of an answer as HTML."""

import pytest
from bs4 import Tag

from app.web.answering import answer_html
from nodes.writing.render import ABOVE, render
from tests.app.web.pages import OTHER, TEXT, answer, one, read, statement
from tests.app.web.test_answering import HOSTILE, UNSUPPORTED
from tests.nodes.remembering.test_remembering_replies import CALM

UNCHECKED = {"support": None, "relevance": None}


def labelled(page: Tag) -> list[str]:
    return [element.get_text(" ", strip=True) for element in page.select(".verdict")]


def test_the_topic_of_a_page_that_the_question_does_not_name_stands_before_its_statement() -> None:
    page = read(answer_html(answer(statements=[statement(topic="Croup"), statement()])))
    first, second = page.select("ol.statements > li")
    assert one(first, "li > p.source").get_text() == "On “Croup”:"
    assert not second.select("li > p.source")


def test_a_statement_names_the_sentence_it_rests_on_and_links_its_source() -> None:
    page = read(answer_html(answer()))
    button = one(page, "button.statement.supported")
    assert labelled(page) == ["✓ Supported, 93%"]
    assert button["aria-expanded"] == "true"
    section = one(page, f"#{button['aria-controls']}")
    assert not section.has_attr("hidden")
    assert one(section, "mark").get_text() == "It causes wheezing."
    assert one(section, "blockquote").get_text() == TEXT
    assert one(section, "a")["href"] == "https://a.test"


def test_every_statement_has_evidence_of_its_own_and_the_first_is_open() -> None:
    page = read(answer_html(answer(statements=[statement(), statement("B"), statement("C")])))
    buttons = page.select(".statement")
    assert [button["aria-expanded"] for button in buttons] == ["true", "false", "false"]
    shown = [one(page, f"#{button['aria-controls']}").has_attr("hidden") for button in buttons]
    assert shown == [False, True, True]


def test_sources_that_disagree_are_both_shown() -> None:
    stated = statement(conflict={"document": "b", "start": 0, "end": len(OTHER)})
    page = read(answer_html(answer(statements=[stated])))
    assert labelled(page) == ["≠ Sources disagree, 93%"]
    assert [element.get_text() for element in page.select("mark")] == ["It causes wheezing.", OTHER]
    assert "[2] b" in one(page, ".evidence").get_text()


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        ("unchecked", "? Not checked"),
        ("unsupported", "✕ Not supported"),
        ("contradicted", "✕ Contradicted"),
    ],
)
def test_no_verdict_is_shown_by_colour_alone(verdict: str, expected: str) -> None:
    stated = statement(verdict=verdict, probability=None, evidence=None)
    page = read(answer_html(answer(statements=[stated], confidence=UNCHECKED, critic=None)))
    assert labelled(page) == [expected]
    assert "Supported by" not in page.get_text()
    assert not page.select("mark")
    assert "No confidence is given" in page.get_text()
    assert "checked by nothing" in page.get_text()


def test_what_is_not_confirmed_is_set_apart() -> None:
    near = {"id": "a", "title": "Asthma", "url": "https://a.test", "source": "Test"}
    held = [
        {
            **UNSUPPORTED,
            "text": "Honey",
            "near": {**near, "sentence": "Asthma is treated with medicines."},
        },
        {**UNSUPPORTED, "text": "Cats"},
    ]
    page = read(answer_html(answer(outcome="partial", reason="some_unsupported", withheld=held)))
    assert "Answered in part" in one(page, ".outcome").get_text()
    collapsed = one(page, "details.unconfirmed:not([open])")
    assert "Do not rely on these" in collapsed.get_text()
    assert [element.get_text(" ", strip=True) for element in collapsed.select("li")] == [
        "Honey Nearest in the sources, Asthma (opens in a new tab) , Test: "
        "Asthma is treated with medicines.",
        "Cats",
    ]
    assert one(page, "details.unconfirmed a")["href"] == "https://a.test"
    assert "Honey" not in one(page, ".statements").get_text()


def test_each_question_of_a_message_has_a_heading_and_one_without_an_answer_its_pages() -> None:
    near = {"id": "b", "title": "B", "url": "https://b.test", "source": "", "sentence": HOSTILE}
    first = {"question": "A?", "answered": True, "verdict": "yes", "relevance": 0.9, "nearest": []}
    second = {**first, "question": "B?", "answered": False, "verdict": None, "nearest": [near]}
    second["note"] = HOSTILE
    changes = {"outcome": "partial", "reason": "part_unanswered", "parts": [first, second]}
    page = read(answer_html(answer(statements=[statement(part=1)], **changes)))
    headings = [element.get_text() for element in page.select("h3.part")]
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


def test_whose_judgement_decided_is_shown_where_there_are_two_critics() -> None:
    stated = statement(checked_by="llm:ollama:llama3.1")
    page = read(answer_html(answer(statements=[stated, statement()])))
    assert [element.get_text() for element in page.select(".by")] == [
        "Checked by llm:ollama:llama3.1"
    ]
