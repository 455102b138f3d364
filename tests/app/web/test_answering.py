"""An answer as HTML: what the user is told, and that text stays text."""

import pytest
from bs4 import Tag
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.passage import Passage
from app.web.answering import answer_html
from app.web.markup import link, marked, percent
from app.web.progress import progress_html
from tests.app.web.pages import OTHER, TEXT, answer, one, place, read, statement

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)> {0} ${value} {{value}} &amp;"

UNSUPPORTED = {"verdict": "unsupported", "failed": [], "failed_checks": [], "near": None}
UNCHECKED = {"support": None, "relevance": None}


def labelled(page: Tag) -> list[str]:
    return [own.get_text(" ", strip=True) for own in page.select(".verdict")]


@pytest.mark.parametrize(
    ("share", "told"),
    [
        (1.0, "over 99%"),
        (0.995, "over 99%"),
        (0.994, "99%"),
        (0.931, "93%"),
        (0.5, "50%"),
        (0.0051, "1%"),
        (0.0049, "under 1%"),
        (0.0, "under 1%"),
    ],
)
def test_a_probability_is_never_rounded_to_certainty(share: float, told: str) -> None:
    assert percent(share) == told


@given(
    st.text(st.characters(exclude_categories=["Cc", "Cs"])),
    st.integers(-2, 12),
    st.integers(-2, 12),
)
def test_a_highlight_changes_no_character(text: str, start: int, end: int) -> None:
    # Inside an element: BeautifulSoup warns about a text such as '.HTM' that resembles a file name.
    page = read(f"<p>{marked(text, start, end)}</p>")
    assert page.get_text() == text
    marks = [own.get_text() for own in page.select("mark")]
    assert marks == ([text[start:end]] if 0 <= start < end <= len(text) else [])


@pytest.mark.parametrize("url", ["", "javascript:alert(1)", "data:text/html,x", "//a.test", "a"])
def test_only_web_pages_are_linked(url: str) -> None:
    assert str(link(url, "A & B")) == "A &amp; B"
    assert one(read(link('HTTPS://a.test/?q="x', "A")), "a")["href"] == 'HTTPS://a.test/?q="x'


def test_whatever_a_document_or_a_user_says_stays_text() -> None:
    source = {"id": "a", "title": HOSTILE, "url": "https://a.test", "source": HOSTILE,
              "text": HOSTILE}  # fmt: skip
    page = read(
        answer_html(
            answer(
                question=HOSTILE,
                query=HOSTILE + "!",
                notes=[HOSTILE],
                options={"A": HOSTILE},
                choice="A",
                unconfirmed=[HOSTILE],
                withheld=[
                    {
                        **UNSUPPORTED,
                        "text": HOSTILE,
                        "near": {
                            "id": "a",
                            "title": HOSTILE,
                            "url": "javascript:alert(1)",
                            "source": HOSTILE,
                            "sentence": HOSTILE,
                        },
                    }
                ],
                sources=[source],
                statements=[statement(HOSTILE, evidence=place("a", HOSTILE, "${value}"))],
                generator=HOSTILE,
                critic=HOSTILE,
            )
        )
    )
    assert not page.select("script, img")
    assert one(page, "h2").get_text() == HOSTILE
    assert [own.get_text() for own in page.select("blockquote")] == [HOSTILE, HOSTILE]
    assert not page.select("a[href^=javascript]")
    assert one(page, "mark").get_text() == "${value}"
    assert one(page, ".statement .text").get_text().startswith(HOSTILE)
    assert not read(progress_html([("verify", 1)], [HOSTILE])).select("script, img")


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
    assert [own["aria-expanded"] for own in buttons] == ["true", "false", "false"]
    shown = [one(page, f"#{own['aria-controls']}").has_attr("hidden") for own in buttons]
    assert shown == [False, True, True]


def test_sources_that_disagree_are_both_shown() -> None:
    told = statement(conflict={"document": "b", "start": 0, "end": len(OTHER)})
    page = read(answer_html(answer(statements=[told])))
    assert labelled(page) == ["≠ Sources disagree, 93%"]
    assert [own.get_text() for own in page.select("mark")] == ["It causes wheezing.", OTHER]
    assert "[2] b" in one(page, ".evidence").get_text()


@pytest.mark.parametrize(
    ("verdict", "told"),
    [
        ("unchecked", "? Not checked"),
        ("unsupported", "✕ Not supported"),
        ("contradicted", "✕ Contradicted"),
    ],
)
def test_no_verdict_is_told_by_colour_alone(verdict: str, told: str) -> None:
    own = statement(verdict=verdict, probability=None, evidence=None)
    page = read(answer_html(answer(statements=[own], confidence=UNCHECKED, critic=None)))
    assert labelled(page) == [told]
    assert "Supported by" not in page.get_text()
    assert not page.select("mark")
    assert "No confidence is given" in page.get_text()
    assert "checked by nothing" in page.get_text()


def test_an_answer_that_states_nothing_names_pages_to_read() -> None:
    near = {"id": "g", "title": "What is gout?", "url": "https://g.test", "source": "Test",
            "sentence": "Gout hurts <b>toes</b>."}  # fmt: skip
    page = read(
        answer_html(
            answer(
                outcome="abstained", reason="not_found", statements=[], sources=[], nearest=[near],
                clarify="Is your question about gout?", advice=["See a doctor."], text="Not found.",
                urgency="urgent",
            )
        )
    )  # fmt: skip
    assert "See a doctor today" in one(page, ".notice.urgent").get_text()
    assert page.get_text().count("See a doctor.") == 1
    told = one(page, ".nearest")
    assert one(told, "a")["href"] == "https://g.test"
    assert "Gout hurts <b>toes</b>." in told.get_text()
    assert [line.get_text() for line in page.select(".advice")] == [
        "Is your question about gout?",
        "See a doctor.",
    ]


def test_an_urgent_message_is_led_by_see_a_doctor_today_and_a_verdict_by_its_word() -> None:
    page = read(answer_html(answer(urgency="urgent", verdict="no")))
    assert "See a doctor today" in one(page, ".notice.urgent").get_text()
    assert one(page, ".direct").get_text() == "No, according to the source:"


def test_confidence_comes_with_what_it_means() -> None:
    told = one(read(answer_html(answer())), ".confidence")
    assert "Support 93%" in told.get_text()
    assert "Relevance 81%" in told.get_text()
    assert [meter["value"] for meter in told.select("meter")] == ["0.93", "0.81"]
    assert "whether the sources are right" in told.get_text()


def test_options_that_were_not_confirmed_are_told_beside_the_choice() -> None:
    page = read(
        answer_html(
            answer(options={"A": "aspirin", "B": "inhaler"}, choice="B", chosen_by="sources")
        )
    )
    assert one(page, ".options .chosen").get_text(" ", strip=True) == (
        "✓ B. inhaler Best supported by the sources"
    )
    assert one(page, ".options .other").get_text(" ", strip=True) == "– A. aspirin not confirmed"


def test_a_yes_needs_no_letter() -> None:
    page = read(
        answer_html(answer(options={"yes": "yes", "no": "no"}, choice="no", chosen_by="sources"))
    )
    assert one(page, ".options .chosen").get_text(" ", strip=True) == (
        "✓ no Best supported by the sources"
    )


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
    assert [own.get_text(" ", strip=True) for own in collapsed.select("li")] == [
        "Honey Nearest in the sources, Asthma (opens in a new tab) , Test: "
        "Asthma is treated with medicines.",
        "Cats",
    ]
    assert one(page, "details.unconfirmed a")["href"] == "https://a.test"
    assert "Honey" not in one(page, ".statements").get_text()


def test_rounds_a_new_wording_notes_and_time_are_told() -> None:
    page = read(answer_html(answer(rounds=3, query="Asthma?", notes=["Beware."])))
    assert "Understood as: Asthma?" in page.get_text()
    assert one(page, ".note").get_text() == "Beware."
    closing = page.select(".made")[-1].get_text()
    assert closing.startswith("3 rounds; drafted by quoting the documents")
    assert "1.5 s of work" in closing


def test_an_emergency_is_all_that_is_shown() -> None:
    made = answer_html(answer(outcome="urgent", reason="emergency", text="Call 112 now."))
    page = read(made)
    assert one(page, "[role=alert]").get_text(" ") == "Get help now Call 112 now."
    assert not page.select(".statement, .sources")


def test_whom_to_call_about_a_possible_emergency_stands_above_the_answer_once() -> None:
    told = {"notes": ["Beware.", "Call 112 now."], "note_codes": ["notice", "emergency"]}
    page = read(answer_html(answer(urgency="emergency", **told)))
    assert one(page, "[role=alert]").get_text(" ") == "Get help now Call 112 now."
    assert one(page, ".note").get_text() == "Beware."
    assert page.select(".statement")
    silent = answer(
        outcome="abstained",
        reason="not_found",
        urgency="emergency",
        notes=["Call 112 now."],
        note_codes=["emergency"],
    )
    assert read(answer_html(silent)).get_text(" ").count("Call 112 now.") == 1


def test_where_nothing_was_found_no_claim_is_shown() -> None:
    made = answer(outcome="abstained", reason="weak_evidence", statements=[], sources=[], rounds=0)
    page = read(answer_html(made))
    [said] = [own.get_text() for own in page.select(".notice p")]
    assert said.startswith("Not found: nothing in the documents")
    [who] = [own.get_text() for own in page.select(".advice")]
    assert "A pharmacist, nurse or doctor" in who
    assert one(page, ".made").get_text().startswith("No answer was drafted; ")
    assert not page.select(".statement, .sources, .confidence")


def test_what_was_remembered_is_no_source() -> None:
    memory = {"id": "1", "kind": "question", "scope": "expert", "text": "Peak flow\nin litres",
              "created": "", "score": {}}  # fmt: skip
    told = one(read(answer_html(answer(memories=[memory]))), ".remembered").get_text()
    assert "They are not a source of any statement" in told
    assert "An expert's note: Peak flow — in litres" in told


def test_other_documents_that_were_found_are_set_apart() -> None:
    one_of = Passage("r#0", "r", 0, 5, HOSTILE, title=HOSTILE, source="S", url="https://r.test")
    page = read(answer_html(answer(), [one_of]))
    told = one(page, "details.others")
    assert not told.has_attr("open")
    assert "it was not checked" in told.get_text()
    assert one(told, "a")["href"] == "https://r.test"
    assert one(told, "blockquote").get_text() == HOSTILE
    assert not page.select("script, img")
    assert not read(answer_html(answer())).select(".others")
