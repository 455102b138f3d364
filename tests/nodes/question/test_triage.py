"""How urgent a message is, given what the reader says of it."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.errors import ModelError
from anamnesis.models.reading import URGENCY_KINDS, Triage
from nodes.question.triage import (
    CERTAIN,
    CERTAIN_SELF_HARM,
    CERTAIN_WITH_RED_FLAG,
    CRISIS_LINE,
    EMERGENCY,
    FIRST_AID,
    FIRST_AID_SHOWN,
    NO_DOSES,
    SENTENCE,
    TWO_WORDS,
    URGENT,
    WITH_RED_FLAG,
    is_answered_by_first_aid,
    more_urgent,
    needs_immediate_answer,
    triage,
    with_first_aid,
)

QUIET = "my knee clicks when i climb stairs"
FLAGGED = "my dad has crushing chest pain right now"


def said(
    emergency: float, urgent: float = 0.0, kind: str = "medical", harm: float = 0.0
) -> Callable[[str], Triage]:
    levels = {"emergency": emergency, "urgent": urgent, "routine": 1 - emergency - urgent}
    found = Triage(levels, {name: float(name == kind) for name in URGENCY_KINDS}, harm)
    return lambda message: found


def test_the_reader_decides() -> None:
    assert triage(QUIET, said(EMERGENCY))["level"] == "emergency"
    assert triage(QUIET, said(0.0, URGENT))["level"] == "urgent"
    assert triage(QUIET, said(0.0, URGENT - 0.01))["level"] == "routine"


def test_doses_are_shown_unless_self_harm_is_likely() -> None:
    named = triage(QUIET, said(0.0, harm=CRISIS_LINE))
    assert named["crisis"]
    assert "no_doses" not in named
    likely = triage(QUIET, said(0.0, harm=NO_DOSES))
    assert likely["no_doses"]
    assert triage("i want to kill myself", said(0.0))["no_doses"]
    assert more_urgent(likely, named)["no_doses"]
    assert more_urgent(named, likely)["no_doses"]
    assert "no_doses" not in more_urgent(named, named)


def test_words_of_a_red_flag_never_overrule_the_reader() -> None:
    assert triage(FLAGGED, said(EMERGENCY))["level"] == "emergency"
    assert triage(FLAGGED, said(WITH_RED_FLAG - 0.01))["level"] == "routine"


def test_words_of_a_red_flag_make_an_improbable_emergency_a_possible_one() -> None:
    found = triage(FLAGGED, said(WITH_RED_FLAG))
    assert (found["level"], found["kind"], found["possible"]) == ("emergency", "medical", True)
    assert triage(QUIET, said(WITH_RED_FLAG))["level"] == "routine"
    assert triage("i want to kill myself", said(WITH_RED_FLAG))["level"] == "routine"


@pytest.mark.parametrize("kind", URGENCY_KINDS)
def test_an_emergency_has_the_likeliest_kind(kind: str) -> None:
    assert triage(QUIET, said(0.9, kind=kind, harm=CERTAIN_SELF_HARM))["kind"] == kind


def test_an_emergency_is_self_harm_only_if_the_score_of_self_harm_or_a_red_flag_says_so() -> None:
    levels = {"emergency": 0.9, "urgent": 0.0, "routine": 0.1}
    less = {**levels, "emergency": CERTAIN - 0.01}
    kinds = {"self-harm": 0.5, "child": 0.3, "medical": 0.2}
    for sure, least in ((levels, CRISIS_LINE), (less, CERTAIN_SELF_HARM)):
        below, reached = (Triage(sure, kinds, score) for score in (least - 0.01, least))
        assert triage(QUIET, {QUIET: below}.__getitem__)["kind"] == "child"
        assert triage(QUIET, {QUIET: reached}.__getitem__)["kind"] == "self-harm"
    assert triage("i want to kill myself", lambda _: Triage(levels, kinds, 0.0))["kind"] == (
        "self-harm"
    )


def test_an_emergency_without_kinds_is_medical() -> None:
    read = Triage({"emergency": 0.04, "urgent": 0.0, "routine": 0.96}, {})
    assert triage(QUIET, lambda _: read, threshold=0.01)["kind"] == "medical"
    certain = triage(FLAGGED, lambda _: read, threshold=0.01)
    assert (certain["kind"], certain["crisis"]) == ("medical", False)


def test_a_figure_of_speech_about_death_is_at_most_a_possible_emergency() -> None:
    idiom = "the idea of a smear test makes me want to die. do i need one"
    found = triage(idiom, said(CERTAIN - 0.01, kind="self-harm", harm=CERTAIN_SELF_HARM - 0.01))
    assert found["possible"]
    assert found["crisis"]
    grave = said(CERTAIN - 0.01, kind="self-harm", harm=CERTAIN_SELF_HARM)
    assert not triage(idiom, grave).get("possible")
    assert not triage(idiom, said(CERTAIN, kind="self-harm")).get("possible")


def test_a_bare_topic_is_no_emergency_without_words_of_a_red_flag() -> None:
    assert triage("gout", said(0.9))["level"] == "routine"
    assert triage("knee pain now", said(0.9))["level"] == "emergency"


def test_two_words_are_at_most_a_possible_emergency() -> None:
    found = triage("knee pain", said(0.9))
    assert found["possible"]
    assert "in two words" in found["why"]
    assert triage("knee pain", said(TWO_WORDS - 0.01))["level"] == "urgent"
    assert not triage("knee pain now", said(0.9)).get("possible")
    grave = said(0.9, kind="self-harm", harm=CERTAIN_SELF_HARM)
    assert not triage("kill myself", grave).get("possible")


def test_words_of_self_harm_say_the_kind() -> None:
    assert triage("i want to kill myself", said(0.9))["kind"] == "self-harm"


def test_without_a_reader_the_words_decide_alone() -> None:
    assert triage(FLAGGED, None) == {
        "level": "emergency", "kind": "medical", "crisis": False, "why": "patterns only",
    }  # fmt: skip
    assert triage(QUIET, None)["level"] == "routine"


def test_what_decided_is_said_with_its_figure() -> None:
    assert "0.90" in triage(QUIET, said(0.9))["why"]
    assert "red flag" in triage(FLAGGED, said(0.9))["why"]


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_higher_probability_never_lowers_the_level(one: float, other: float) -> None:
    order = ["routine", "urgent", "emergency"]
    low, high = sorted((one, other))
    for text in (QUIET, FLAGGED):
        found = [order.index(triage(text, said(message))["level"]) for message in (low, high)]
        assert found == sorted(found)


def test_an_alarming_sentence_counts_though_the_message_seems_calm() -> None:
    def reads(text: str) -> Triage:
        return said(alarming if text == f"{FLAGGED}." else EMERGENCY / 2)(text)

    alarming = SENTENCE
    assert needs_immediate_answer(triage(f"What is gout? {FLAGGED}.", reads))
    assert triage(f"What is gout? {QUIET}.", reads)["level"] == "routine"
    alarming = SENTENCE - 0.01
    assert triage(f"What is gout? {FLAGGED}.", reads)["possible"]


def test_a_message_of_one_sentence_is_read_once() -> None:
    seen: list[str] = []

    def reads(text: str) -> Triage:
        seen.append(text)
        return said(0.0)(text)

    assert triage(FLAGGED, reads)["level"] == "routine"
    assert seen == [FLAGGED]


def test_a_crisis_line_is_named_without_an_emergency() -> None:
    found = triage(QUIET, said(0.0, harm=CRISIS_LINE))
    assert (found["level"], found["crisis"]) == ("routine", True)
    assert not triage(QUIET, said(0.0, harm=CRISIS_LINE - 0.01))["crisis"]
    assert triage(QUIET, said(0.9, harm=CRISIS_LINE))["crisis"]


def test_of_two_readings_the_graver_one_counts() -> None:
    calm, grave = triage(QUIET, said(0.0, harm=CRISIS_LINE)), triage(QUIET, said(0.9))
    for found in (more_urgent(calm, grave), more_urgent(grave, calm)):
        assert (found["level"], found["kind"], found["crisis"]) == ("emergency", "medical", True)


def test_what_may_be_an_emergency_is_answered_too_unless_it_is_certain() -> None:
    possible = triage(QUIET, said(CERTAIN - 0.01))
    assert (possible["level"], possible.get("possible"), needs_immediate_answer(possible)) == (
        "emergency", True, False,
    )  # fmt: skip
    assert "answered too" in possible["why"]
    assert triage(FLAGGED, said(CERTAIN_WITH_RED_FLAG - 0.01)).get("possible")
    for certain in (
        triage(QUIET, said(CERTAIN)),
        triage(FLAGGED, said(CERTAIN_WITH_RED_FLAG)),
        triage(QUIET, said(EMERGENCY, kind="self-harm", harm=CERTAIN_SELF_HARM)),
        triage(FLAGGED, None),
    ):
        assert needs_immediate_answer(certain)
        assert not certain.get("possible")
    assert not needs_immediate_answer(triage(QUIET, said(0.1)))


@pytest.mark.parametrize(("chance", "fits"), [(FIRST_AID, True), (FIRST_AID - 0.01, False)])
def test_a_possible_emergency_is_answered_by_first_aid_that_certainly_fits(
    monkeypatch: pytest.MonkeyPatch, chance: float, fits: bool
) -> None:
    pages = {"none": 0.9, "burns": chance}
    monkeypatch.setattr("nodes.question.triage.page_probabilities", lambda message: pages)
    possible = triage(QUIET, said(CERTAIN - 0.1))
    found = with_first_aid(QUIET, possible)
    assert (found["first_aid"], found["first_aid_probability"]) == ("burns", chance)
    assert (is_answered_by_first_aid(found), needs_immediate_answer(found)) == (fits, fits)
    assert ("first aid: burns" in found["why"]) == fits
    certain = with_first_aid(QUIET, triage(QUIET, said(CERTAIN)))
    assert (certain["first_aid"], is_answered_by_first_aid(certain)) == ("burns", False)


@pytest.mark.parametrize(
    ("chance", "fits"), [(FIRST_AID_SHOWN, True), (FIRST_AID_SHOWN - 0.01, False)]
)
def test_a_page_on_first_aid_is_named_if_it_probably_fits(
    monkeypatch: pytest.MonkeyPatch, chance: float, fits: bool
) -> None:
    pages = {"none": 0.9, "burns": chance, "bites": chance - 0.1}
    monkeypatch.setattr("nodes.question.triage.page_probabilities", lambda message: pages)
    found = with_first_aid(QUIET, triage(QUIET, said(CERTAIN)))
    assert found.get("first_aid", "") == ("burns" if fits else "")


def test_only_an_emergency_other_than_self_harm_has_a_page_on_first_aid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pages = {"none": 0.0, "burns": 1.0}
    monkeypatch.setattr("nodes.question.triage.page_probabilities", lambda message: pages)
    harm = triage(QUIET, said(CERTAIN, kind="self-harm", harm=CERTAIN_SELF_HARM))
    assert harm["kind"] == "self-harm"
    for found in (harm, triage(QUIET, said(0.1))):
        assert with_first_aid(QUIET, found) == found


@pytest.mark.parametrize(
    ("message", "page"),
    [
        ("a piece of banana is stuck, my baby of 8 months cannot breathe", "choking-infant"),
        ("my husband has steak stuck in his throat and cannot speak", "choking-adult"),
        ("wasp stung me in the mouth, my tongue is huge and I can hardly breathe", "anaphylaxis"),
        ("petrol pump splashed in his eyes, both of them, screaming", "eye-chemical"),
        ("what should I pack for my holiday", ""),
    ],
)
def test_the_page_is_found_for_an_emergency_in_the_words_of_people(message: str, page: str) -> None:
    found = with_first_aid(message, triage(FLAGGED, said(CERTAIN)))
    assert found.get("first_aid", "") == (f"starter-{page}-first-aid" if page else "")


def test_without_the_model_a_possible_emergency_is_searched_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(message: str) -> dict[str, float]:
        raise ModelError("no weights")

    monkeypatch.setattr("nodes.question.triage.page_probabilities", missing)
    possible = triage(QUIET, said(CERTAIN - 0.1))
    assert with_first_aid(QUIET, possible) == possible


def test_an_emergency_is_more_urgent_than_a_possible_one() -> None:
    possible, certain = triage(QUIET, said(0.5)), triage(QUIET, said(0.9))
    for pair in ((possible, certain), (certain, possible)):
        assert needs_immediate_answer(more_urgent(*pair))
    assert more_urgent(triage(QUIET, said(0.1)), possible).get("possible")
