"""Pages to read where nothing is stated, and the question which topic is meant."""

from typing import Any

import pytest

from anamnesis.corpus.passage import Passage
from nodes.fields.passages import ReadPassage
from nodes.state import Urgency
from nodes.writing.reading_list import CLARIFY, LEAST, MOST, nearest_pages, topics_to_clarify
from nodes.writing.render import render
from tests.app.web.pages import answer
from tests.nodes.pages import undisputed

ROUTINE: Urgency = {"level": "routine", "kind": "", "crisis": False, "why": ""}


def page(key: str, focus: str) -> Passage:
    text = f"{focus} is common. It can hurt."
    return Passage(
        f"{key}#0", key, 0, len(text), text, title=focus, focus=focus, url="https://x.test"
    )


def read(key: str, relevance: float) -> ReadPassage:
    return {"id": f"{key}#0", "relevance": relevance, "start": 0, "end": 15}


def test_pages_that_come_near_are_named_once_each_with_their_nearest_sentence() -> None:
    there = {f"{key}#0": page(key, "Gout") for key in "abcde"}
    found = nearest_pages([read(key, 0.3) for key in "aabcde"], there, undisputed)
    assert [item["id"] for item in found] == ["a", "b", "c"][:MOST]
    assert found[0]["sentence"] == "Gout is common."
    assert nearest_pages([read("a", LEAST / 2), read("z", 0.9)], there, undisputed) == []


SLEEP = (
    "Sleep Paralysis\n\nSleep paralysis is a short loss of movement. It passes.\n\n"
    "Common medicines include\n- sildenafil\n- tadalafil\n"
)
MEDICINES = "Common medicines include:\n- sildenafil\n- tadalafil"


def shown(text: str, sentence: str, **given: bool) -> str:
    """What is shown of a page whose nearest sentence is the given one."""
    passage = Passage("a#0", "a", 0, len(text), text, title="Sleep", focus="Sleep", url="")
    start = text.index(sentence)
    item: ReadPassage = {
        "id": "a#0",
        "relevance": 0.3,
        "start": start,
        "end": start + len(sentence),
    }
    [found] = nearest_pages([item], {"a#0": passage}, undisputed, **given)
    return found["sentence"]


@pytest.mark.parametrize(
    ("text", "sentence", "expected"),
    [
        (SLEEP, "Sleep Paralysis", "Sleep paralysis is a short loss of movement."),
        (SLEEP, "It passes.", "It passes."),
        (f"Tablets help many people.\n\n{MEDICINES}", "- tadalafil", " ".join(MEDICINES.split())),
        ("Tablets help many people.\n\nSide effects", "Side effects", "Side effects"),
        # The next sentence is about something else, or means another medicine.
        (
            "Antidepressants\n\nSymptoms often go away if the medicine is stopped.",
            "Antidepressants",
            "Antidepressants",
        ),
        ("Summary", "Summary", "Summary"),
        # A list that is too long for a screen is not shown whole.
        (f"{MEDICINES}\n" + "- other\n" * 60, "- tadalafil", "- tadalafil"),
        # What stands next to a myth may be one.
        ("Myths of flu\n\nAspirin cures the common flu.", "Myths of flu", "Myths of flu"),
    ],
)
def test_a_page_shows_a_sentence_that_says_something_not_a_heading(
    text: str, sentence: str, expected: str
) -> None:
    assert shown(text, sentence) == expected


def test_another_answer_is_the_sentence_that_answers_or_its_list_no_neighbour() -> None:
    assert shown(SLEEP, "Sleep Paralysis", neighbours=False) == "Sleep Paralysis"
    assert shown(MEDICINES, "- sildenafil", neighbours=False) == " ".join(MEDICINES.split())


def test_a_related_page_shows_no_dose_which_may_be_for_another_illness() -> None:
    text = "Q fever is treated with 100 mg of doxycycline twice a day."
    assert shown(text, text) == ""
    assert shown(text, text, neighbours=False) == text
    near: Any = {"title": "Q fever", "source": "CDC", "url": "", "sentence": ""}
    unanswered = answer(outcome="abstained", reason="weak_evidence", statements=[], nearest=[near])
    assert "- Q fever (CDC)" in render(unanswered, ROUTINE, None)[0].splitlines()


def test_a_question_asks_which_of_two_near_topics_is_meant() -> None:
    there = {"a#0": page("a", "Gout"), "b#0": page("b", "Lupus"), "c#0": page("c", "gout")}
    both = [read("a", CLARIFY), read("c", CLARIFY), read("b", CLARIFY)]
    assert topics_to_clarify(both, there, "what helps?") == ["Gout", "Lupus"]
    assert topics_to_clarify(both, there, "My gout and my lupus are worse. What helps?") == []


@pytest.mark.parametrize(
    ("other", "topic", "relevance"),
    [
        ("c", "Lupus", CLARIFY),  # a page that was not found
        ("b", "Lupus", CLARIFY - 0.01),  # constipation is near, low blood sugar is not
        ("b", "gout", CLARIFY),
        ("b", "Chronic gout", CLARIFY),
        ("b", "", CLARIFY),
    ],
)
def test_nothing_is_asked_where_two_pages_on_different_topics_may_not_answer(
    other: str, topic: str, relevance: float
) -> None:
    there = {"a#0": page("a", "Gout"), "b#0": page("b", topic)}
    assert topics_to_clarify([read("a", 0.44), read(other, relevance)], there, "what helps?") == []


def test_a_medicine_that_the_message_does_not_name_is_not_asked_about() -> None:
    there = {
        f"{key}#0": page(key, focus)
        for key, focus in (("a", "Levetiracetam"), ("b", "Rivaroxaban"), ("c", "Gout"))
    }
    medicines = [read("a", CLARIFY), read("b", CLARIFY)]
    assert topics_to_clarify(medicines, there, "venlafaxine missed 2 doses") == []
    drowsy = {"a#0": page("a", "Loratadine"), "b#0": page("b", "Antihistamines")}
    assert topics_to_clarify(medicines, drowsy, "does imodium make you sleepy") == []
    either = [read("c", CLARIFY), read("b", CLARIFY)]
    assert topics_to_clarify(either, there, "my toe hurts") == []
    assert topics_to_clarify(either, there, "I take rivaroxaban and my toe hurts")
