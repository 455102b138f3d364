"""An answer as text: its verdict, its statements and whom to call."""

from typing import Any

import pytest

from app.web.answering import answer_html
from nodes.state import Urgency, YesNo
from nodes.writing.render import ABOVE, NEITHER_FOUND, by_question, memory_line, render, urgent_text
from tests.app.web.pages import answer, one, read, statement
from tests.nodes.remembering.test_remembering_replies import CALM


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


def test_the_topic_of_a_page_stands_once_before_its_statements() -> None:
    named = [
        statement(text="Affected people cough.", topic="Croup"),
        statement(text="They are hoarse.", topic="Croup"),
        statement(text="Asthma narrows the airways."),
        statement(text="Croup is treated with steroids.", topic="Croup"),
    ]
    lines = render(answer(statements=named), CALM, None)[0].splitlines()
    assert lines[:5] == [
        "On “Croup”:",
        "Affected people cough. [1]",
        "They are hoarse. [1]",
        "Asthma narrows the airways. [1]",
        "On “Croup”:",
    ]


def test_a_memory_is_one_line_and_an_experts_note_is_marked() -> None:
    memory: Any = {"text": "What is croup?\nIt passes.", "scope": "private"}
    assert memory_line(memory) == "What is croup? — It passes."
    assert memory_line({**memory, "scope": "expert"}) == (
        "An expert's note: What is croup? — It passes."
    )


def test_a_label_of_an_option_claims_no_more_than_was_checked() -> None:
    options = {"A": "honey", "yes": "Yes"}
    for chooser, label in (
        ("sources", "Best supported by the sources: A. honey"),
        ("nearest", "Nearest to the sources, not checked: A. honey"),
        (None, "The draft's choice, not checked: A. honey"),
    ):
        made = answer(options=options, choice="A", chosen_by=chooser)
        assert render(made, CALM, None)[0].startswith(label)
    assert (
        render(answer(options=options, choice="yes"), CALM, None)[0]
        .splitlines()[0]
        .endswith(": Yes")
    )


def test_a_page_without_publisher_and_title_is_named_by_its_id() -> None:
    page = {"id": "g", "title": "", "source": "", "url": "", "sentence": "It hurts."}
    near: Any = [page, {**page, "title": "Gout", "source": "Ministry"}]
    shown = render(answer(outcome="abstained", nearest=near), CALM, None)[0]
    assert "- g: “It hurts.”" in shown
    assert "- Gout (Ministry): “It hurts.”" in shown


def test_what_is_said_on_an_earlier_question_is_not_repeated() -> None:
    part: Any = {"question": "?", "answered": True, "verdict": None, "nearest": []}
    said = [statement(part=1), statement(part=2), statement(text="It passes.", part=2)]
    groups = by_question(answer(parts=[part, part], statements=said))
    assert [[item["text"] for item in statements] for _, statements in groups] == [
        ["It causes wheezing."], ["It passes."],
    ]  # fmt: skip
    only = render(answer(parts=[part, part], statements=said[:2]), CALM, None)[0]
    assert ABOVE in only
    assert by_question(answer(statements=said)) == [(None, said)]


def test_in_an_emergency_the_call_comes_first_and_without_steps_there_is_nothing_else() -> None:
    urgent: Urgency = {"level": "emergency", "kind": "medical", "crisis": True, "why": ""}
    call = urgent_text("medical", "GB", crisis=True)
    assert "999" in call
    assert "116 123" in call
    silent = answer(outcome="urgent", statements=[])
    assert render(silent, urgent, "GB") == (call, len(call))
    steps = render(answer(outcome="urgent"), urgent, "GB")[0]
    assert steps.startswith(f"{call}\n\nUntil help comes:\nIt causes wheezing. [1]")


def test_first_aid_for_what_may_be_an_emergency_names_the_crisis_line_too() -> None:
    possible: Urgency = {
        "level": "emergency", "kind": "poisoning", "crisis": True, "why": "", "possible": True,
        "first_aid": "starter-poisoning-first-aid", "first_aid_probability": 1.0,
    }  # fmt: skip
    call = render(answer(outcome="urgent"), possible, "GB")[0].partition("Until help")[0]
    assert call.startswith("This may be an emergency. If it is, call 999 now")
    assert "116 123" in call
    calm: Urgency = {**possible, "crisis": False}
    assert "116 123" not in render(answer(outcome="urgent"), calm, "GB")[0]


def test_a_source_that_disagrees_is_quoted_below_the_statement() -> None:
    against = {"document": "b", "start": 0, "end": 29}
    lines = render(answer(statements=[statement(conflict=against)]), CALM, None)[0].splitlines()
    assert lines[1] == "  Sources disagree: “Asthma never causes wheezing.” [2]"
    weaker = render(answer(statements=[statement(conflict=against, outweighed=True)]), CALM, None)[
        0
    ]
    assert "A stronger or newer source disagrees" in weaker
