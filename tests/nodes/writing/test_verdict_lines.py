"""How an answer says yes, no, that it depends, or that no source says so."""

import pytest

from app.web.answering import answer_html
from nodes.state import YesNo
from nodes.writing.render import NEITHER_FOUND, render
from tests.app.web.pages import answer, one, read
from tests.nodes.remembering.test_messages_of_answers import CALM


@pytest.mark.parametrize(
    ("word", "line"),
    [("yes", "Yes"), ("no", "No"), ("depends", "It depends")],
)
def test_a_verdict_stands_before_the_statements(word: YesNo, line: str) -> None:
    made = answer(verdict=word)
    text, _ = render(made, CALM, None)
    assert text.startswith(f"{line}, according to the source:\nIt causes wheezing.")
    assert one(read(answer_html(made)), ".direct").get_text().startswith(f"{line}, ")


def test_a_silent_answer_to_a_yes_no_question_says_that_neither_was_found() -> None:
    silent = answer(
        outcome="abstained", reason="weak_evidence", verdict="not_found", statements=[], sources=[]
    )
    text, _ = render(silent, CALM, None)
    assert f"relevant enough to answer this question. {NEITHER_FOUND}" in text
    page = read(answer_html(silent))
    assert NEITHER_FOUND in one(page, ".notice").get_text()
    assert not page.select(".direct")
    other, _ = render({**silent, "verdict": None}, CALM, None)
    assert NEITHER_FOUND not in other
