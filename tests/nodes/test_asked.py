"""What a question asks of its topic, and what of a text answers that."""

import pytest

from corpus.passage import Passage
from nodes.extract import extract, with_qualification
from nodes.units import units
from nodes.words import asks_cause, aspects, tells_cause


def told(question: str, text: str, heading: str = "") -> list[str]:
    own = Passage("g#0", "g", 0, 0, text, title="Gout", question=heading)
    return [item["text"] for item in extract(question, [own], None, lambda term: 1.0, 5)]


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("What causes gout?", True),
        ("What can cause gout?", True),
        ("What are the main causes of gout?", True),
        ("What is gout caused by?", True),
        ("What else triggers gout?", True),
        ("causes of gout", True),
        ("What problems can gout cause?", False),
        ("What does gout cause?", False),
        ("Does beer cause gout?", False),
        ("What is gout?", False),
    ],
)
def test_a_cause_is_asked_for_or_an_effect(question: str, asks: bool) -> None:
    assert asks_cause(question) is asks


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("Gout is a disease that causes pain in the toe.", False),
        ("Gout causes sudden pain.", False),
        ("Uric acid causes gout.", True),
        ("Beer and meat can cause attacks of gout.", True),
        ("Gout may result from too much uric acid.", True),
        ("The cause of gout is unknown.", True),
        ("Gout is treated with colchicine.", False),
    ],
)
def test_a_text_tells_a_cause_or_an_effect(text: str, tells: bool) -> None:
    assert tells_cause(text, ["gout"]) is tells


def test_to_what_causes_it_its_effects_are_no_answer() -> None:
    effect, cause = "Gout causes pain in the toe.", "Gout is due to crystals of uric acid."
    assert told("What causes gout?", f"{effect} {cause}") == [cause]
    assert told("What causes gout?", effect) == []
    assert told("What does gout cause?", effect) == [effect]
    # Under a heading that asks for the causes every sentence is an answer.
    assert told("What causes gout?", effect, "What causes gout?") == [effect]


@pytest.mark.parametrize(
    "question",
    [
        "My father has gout, will I get it?",
        "My mother had gout. Am I going to get it?",
        "Can my son inherit gout from his grandfather?",
    ],
)
def test_whether_it_comes_in_families_is_asked_in_many_ways(question: str) -> None:
    assert any("inherit" in group for group in aspects(question))


def test_will_i_get_it_is_answered_by_what_runs_in_families() -> None:
    begins, runs = "Gout begins in the toe.", "Gout often runs in families, from father to son."
    assert told("My father has gout, will I get it?", f"{begins} {runs}") == [runs]


def test_what_qualifies_a_sentence_is_quoted_with_it() -> None:
    high = "Uric acid may be high in gout."
    also = "It can also be high in people without any disease."
    but = "But most of them never fall ill."
    other = "Vegetables are green."
    assert told("Is uric acid high in gout?", f"{high} {also} {but} {other}") == [high, also, but]
    assert told("Is uric acid high in gout?", f"{high} {other} {also}") == [high]


def test_what_qualifies_needs_no_room() -> None:
    found = units("Gout is rare in women. But it is common in old men. Gout often hurts badly.")
    rare, common, hurts = found
    assert with_qualification([rare, hurts], found) == [rare, common, hurts]
    assert with_qualification([rare, common], found) == [rare, common]
    assert with_qualification([hurts], found) == [hurts]
    assert with_qualification([], found) == []


def test_a_father_alone_asks_nothing_of_families() -> None:
    assert aspects("My father has gout, what is it?") == aspects("What is it?")


def test_who_should_not_needs_a_warning() -> None:
    asked = "Who should not take colchicine for gout?"
    assert told(asked, "Colchicine is a medicine to take for gout.") == []
    warning = "People with kidney failure should not take colchicine for gout."
    assert told(asked, warning) == [warning]


def test_what_to_do_is_answered_with_the_steps_and_not_with_the_call_alone() -> None:
    steps = [
        "Stay with a person who is having a seizure.",
        "Hold nobody down during a seizure, and put nothing in the mouth.",
        "Call an ambulance if a seizure lasts longer than five minutes.",
    ]
    own = Passage("s#0", "s", 0, 99, " ".join([*steps, "Seizures are common."]), focus="Seizure")
    asked = "What should I do if someone has a seizure?"
    said = [item["text"] for item in extract(asked, [own], None, lambda term: 1.0, 5)]
    assert said == steps
