"""An answer as HTML: what the user sees, and that text stays text."""

from anamnesis.corpus.passage import Passage
from app.web.answering import answer_html
from app.web.progress import progress_html
from tests.app.web.pages import answer, one, place, read, statement

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)> {0} ${value} {{value}} &amp;"
UNSUPPORTED = {"verdict": "unsupported", "failed": [], "failed_checks": [], "near": None}


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
    assert [element.get_text() for element in page.select("blockquote")] == [HOSTILE, HOSTILE]
    assert not page.select("a[href^=javascript]")
    assert one(page, "mark").get_text() == "${value}"
    assert one(page, ".statement .text").get_text().startswith(HOSTILE)
    assert not read(progress_html([("verify", 1)], [HOSTILE])).select("script, img")


def test_an_answer_that_states_nothing_names_pages_to_read() -> None:
    near = {"id": "g", "title": "What is gout?", "url": "https://g.test", "source": "Test",
            "sentence": "Gout hurts <b>toes</b>."}  # fmt: skip
    page = read(
        answer_html(
            answer(
                outcome="abstained", reason="not_found", statements=[], sources=[], nearest=[near],
                clarify=["gout", "lupus"], advice=["See a doctor."], text="Not found.",
                urgency="urgent",
            )
        )
    )  # fmt: skip
    assert "See a doctor today" in one(page, ".notice.urgent").get_text()
    assert page.get_text().count("See a doctor.") == 1
    element = one(page, ".nearest")
    assert one(element, "a")["href"] == "https://g.test"
    assert "Gout hurts <b>toes</b>." in element.get_text()
    assert [line.get_text() for line in page.select(".advice")] == [
        "Is your question about gout or about lupus?",
        "See a doctor.",
    ]


def test_an_urgent_message_is_led_by_see_a_doctor_today_and_a_verdict_by_its_word() -> None:
    page = read(answer_html(answer(urgency="urgent", verdict="no")))
    assert "See a doctor today" in one(page, ".notice.urgent").get_text()
    assert one(page, ".direct").get_text() == "No, according to the source:"


def test_confidence_comes_with_what_it_means() -> None:
    page = read(answer_html(answer()))
    support, relevance = page.select(".confidence")
    assert "Support 93%" in support.get_text()
    assert "whether the sources are right" in support.get_text()
    assert "Relevance 81%" in relevance.get_text()
    assert [meter["value"] for meter in page.select("meter")] == ["0.93", "0.81"]


def test_options_that_were_not_confirmed_are_shown_with_the_choice() -> None:
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


def test_rounds_a_new_wording_notes_and_time_are_shown() -> None:
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
    fields = {"notes": ["Beware.", "Call 112 now."], "note_codes": ["notice", "emergency"]}
    page = read(answer_html(answer(urgency="emergency", **fields)))
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
    [said] = [element.get_text() for element in page.select(".notice p")]
    assert said.startswith("Not found: nothing in the documents")
    [who] = [element.get_text() for element in page.select(".advice")]
    assert "A pharmacist, nurse or doctor" in who
    assert one(page, ".made").get_text().startswith("No answer was drafted; ")
    assert not page.select(".statement, .sources, .confidence")


def test_what_was_remembered_is_no_source() -> None:
    memory = {"id": "1", "kind": "question", "scope": "expert", "text": "Peak flow\nin litres",
              "created": "", "score": {}}  # fmt: skip
    text = one(read(answer_html(answer(memories=[memory]))), ".remembered").get_text()
    assert "They are not a source of any statement" in text
    assert "An expert's note: Peak flow — in litres" in text


def test_other_documents_that_were_found_are_set_apart() -> None:
    one_of = Passage("r#0", "r", 0, 5, HOSTILE, title=HOSTILE, source="S", url="https://r.test")
    page = read(answer_html(answer(), [one_of]))
    element = one(page, "details.others")
    assert not element.has_attr("open")
    assert "it was not checked" in element.get_text()
    assert one(element, "a")["href"] == "https://r.test"
    assert one(element, "blockquote").get_text() == HOSTILE
    assert not page.select("script, img")
    assert not read(answer_html(answer())).select(".others")
