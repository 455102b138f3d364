"""The notes before an answer: which ones there are, and in which order."""

from typing import Any, cast

import pytest

from graph import Context
from nodes.state import Answer, Premise, Source, State
from nodes.writing.notes import LABEL, answer_notes, note_on, notes, notes_on_names, respelt
from nodes.writing.render import SILENT, UNSURE, WITHHELD
from retrievers.aliases import Renamed
from retrievers.spelling import Respelt
from tests.nodes.steps import judged, selected, state_of

TEXT = "Losartan should not be taken during pregnancy. Losartan can raise potassium."
SOURCES = [
    cast(Source, {"id": "losartan", "title": "Losartan", "source": "Test", "text": TEXT}),
]
SAID = [judged("Losartan can raise potassium.")]


def named(written: str, searched: str, title: str = "", source: str = "") -> Renamed:
    return cast(
        Renamed, {"written": written, "searched": searched, "title": title, "source": source}
    )


def spelt(written: str, searched: str) -> Respelt:
    return cast(Respelt, {"written": written, "searched": searched})


def made(state: State, said: Any = SAID, premise: Premise | None = None, **more: Any) -> Any:
    given: dict[str, Any] = {"problem": None, "unchecked": None, "unsure": False, **more}
    found = notes(state, Context(), said, SOURCES, premise, **given)
    return {item.code: item.text for item in found}


def asked(question: str, **more: Any) -> State:
    return state_of(original_question=question, queries=[question], reason="supported", **more)


def test_a_plain_answer_has_no_notes() -> None:
    assert made(asked("What are the side effects of losartan?")) == {}


def test_products_are_warned_of_only_where_a_name_may_be_of_a_medicine() -> None:
    other = cast(Renamed, {**named("smear test", "Pap smear"), "category": "test"})
    medicine = cast(Renamed, {**named("Eliquis", "Apixaban"), "category": "medicine"})
    assert not notes_on_names([other])[-1].endswith(LABEL)
    assert notes_on_names([other, medicine])[-1].endswith(LABEL)


def test_a_shorter_form_of_a_name_needs_no_note() -> None:
    assert notes_on_names([named("hba1c", "HbA1c test")]) == []
    assert len(notes_on_names([named("hba1c", "HbA1c test"), named("nits", "Head lice")])) == 1


def test_a_medicine_that_no_source_mentions_is_placed_in_the_family_that_one_does() -> None:
    source = cast(Source, {**SOURCES[0], "text": "Beta blockers should not be stopped suddenly."})
    given: dict[str, Any] = {"problem": None, "unchecked": None, "unsure": False}
    question = asked("I take bisoprolol and feel well, can I stop?")
    [note] = notes(question, Context(), SAID, [source], None, **given)
    assert note.code == "unmentioned"
    assert note.text.startswith(
        "The sources shown do not mention bisoprolol. Bisoprolol belongs to the beta blockers, "
    )


def test_corrected_words_are_named_once_each() -> None:
    assert respelt([]) == []
    first, other = spelt("astma", "asthma"), spelt("lungz", "lungs")
    assert respelt([first, other, first]) == [
        "Searched for “asthma”, “lungs”; you wrote “astma”, “lungz”."
    ]


def test_other_names_are_noted_with_their_source_if_any_and_one_warning_about_products() -> None:
    first, last = notes_on_names(
        [named("Tylenol", "acetaminophen", "Acetaminophen", "Test"), named("hives", "urticaria")]
    )
    assert first.endswith("another name for acetaminophen (Acetaminophen, Test).")
    assert last == (f"“hives” was read as urticaria, the term that the documents use. {LABEL}")
    plain = {**named("jab", "vaccine"), "category": "other"}
    assert notes_on_names([plain]) == notes_on_names([]) == []


@pytest.mark.parametrize(
    ("verdict", "begins", "quotes"),
    [
        ("contradicted", "The documents searched contradict an assumption in the question", True),
        ("unsupported", "The documents searched do not confirm an assumption", False),
        ("unchecked", "An assumption in the question was not checked", False),
    ],
)
def test_an_assumption_that_is_not_supported_is_named(
    verdict: str, begins: str, quotes: bool
) -> None:
    evidence = {"document": "losartan", "start": 0, "end": 46}
    premise: Any = {
        "text": "It is safe.",
        "certain": True,
        "verdict": verdict,
        "evidence": evidence,
    }
    text = made(asked("What helps?"), premise=premise)["premise"]
    assert text.startswith(begins)
    quoted = f" – “{TEXT[:46]}” (Losartan, Test)"
    assert text.endswith("“It is safe.”" + (quoted if quotes else ""))
    premise["verdict"] = "supported"
    assert made(asked("What helps?"), premise=premise) == {}


def test_what_no_source_mentions_of_a_person_is_named_if_anything_is_stated() -> None:
    question = asked("Is losartan safe while breastfeeding and pregnant?")
    text = "The sources shown do not mention breastfeeding."
    assert made(question) == {"unmentioned": text}
    assert made(question, said=[]) == {}


@pytest.mark.parametrize(
    ("product", "text"),
    [
        ("advil cold", "“advil cold” contains ibuprofen and pseudoephedrine. The answer below "
         "does not speak of ibuprofen or pseudoephedrine."),
        ("paracetamol, aspirin and caffeine", "The answer below does not speak of "
         "paracetamol, aspirin or caffeine."),
    ],
)  # fmt: skip
def test_what_a_product_contains_and_no_statement_speaks_of_is_named(
    product: str, text: str
) -> None:
    assert made(asked(f"Is {product} safe with losartan?"))["unmentioned"] == text


def test_what_a_source_mentions_of_a_product_and_no_statement_is_named() -> None:
    source = cast(Source, {**SOURCES[0], "text": "Ibuprofen and pseudoephedrine raise it."})
    given: dict[str, Any] = {"problem": None, "unchecked": None, "unsure": False}
    question = asked("Is advil cold safe with losartan?")
    [note] = notes(question, Context(), SAID, [source], None, **given)
    assert note.text.endswith("The answer below does not speak of ibuprofen or pseudoephedrine.")
    spoken = [judged(source["text"])]
    assert notes(question, Context(), spoken, SOURCES, None, **given) == []


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        ("silent", SILENT),
        ("withheld", WITHHELD),
        ("no_option", "Name exactly one option: A, B."),
        ("no_statement", "The answer holds no statement."),
    ],
)
def test_why_the_documents_are_quoted_is_said(problem: Any, text: str) -> None:
    assert note_on(problem, ["A", "B"]).endswith(text)
    state = asked("What helps?", keyed_options={"A": "x", "B": "y"})
    assert made(state, problem=problem) == {"problem": note_on(problem, ["A", "B"])}


def test_notes_have_a_fixed_order_and_the_emergency_comes_first() -> None:
    urgency = {"level": "emergency", "kind": "child", "crisis": True, "why": "", "possible": True}
    state = state_of(
        original_question="wat helps while breastfeeding", queries=["what helps?"],
        reason="remembered", urgency=urgency, condensed=True, spelling=[spelt("wat", "what")],
        aliases=[named("a", "b")], user_quotes=[{"notes": ["They differ."]}],
        notices=[{"id": "x", "note": "It changed."}],
        selected=[selected("losartan", topics=["Losartan", "Valsartan"])],
    )  # fmt: skip
    said = [judged("Losartan helps.", citations=["losartan#0"])]
    found = notes(state, Context(), said, SOURCES, None, "silent", "option_nearest", unsure=True)
    codes = [item.code for item in found]
    assert codes == [
        "emergency", "crisis", "condensed", "spelling", "alias", "problem", "option_nearest",
        "unmentioned", "topics", "uncertain", "conflicting_words", "own_words", "notice",
    ]  # fmt: skip
    assert dict(found)["uncertain"] == UNSURE
    answer = {"notes": [item.text for item in found], "note_codes": codes}
    assert answer_notes(cast(Answer, answer)) == found
