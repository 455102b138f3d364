"""Questions that take something for granted."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.record import Record
from graph import build_graph
from prompts import NOT_FOUND
from retrievers.build import build
from retrievers.index import Index
from tests.fakes import HashEmbedder
from tests.graph.conftest import (
    CHECKED,
    GOOD,
    Queue,
    built,
)

Chat = Callable[..., Queue]

DENIED = "Measles does not spread through the air."
DENYING = {"question": "Since measles does not spread through the air, what is asthma?"}
CURED = {"question": "Since honey cures asthma, how much honey do I need?"}


def test_a_false_premise_is_not_agreed_with(small_index: Index, queue: Chat) -> None:
    answer = built(small_index, queue(GOOD), {GOOD: 0.9}).invoke(CURED, context=CHECKED)["answer"]
    assert answer["notes"] == [
        "The documents searched do not confirm an assumption in the question: “Honey cures asthma.”"
    ]
    assert answer["text"].startswith(answer["notes"][0])


def test_a_premise_that_the_documents_deny_is_said_to_be_denied(
    small_index: Index, queue: Chat
) -> None:
    graph = built(small_index, queue(GOOD), {GOOD: 0.9}, against=[DENIED])
    answer = graph.invoke(DENYING, context=CHECKED)["answer"]
    [note] = answer["notes"]
    assert note == (
        "The documents searched contradict an assumption in the question: "
        "“Measles does not spread through the air.” – “Measles spreads through the air.” "
        "(What is measles?, Test)"
    )
    found, [*_, source] = answer["premise"], answer["sources"]
    place = found["evidence"]
    assert (found["verdict"], place["document"]) == ("contradicted", source["id"])
    assert source["text"][place["start"] : place["end"]] == "Measles spreads through the air."
    assert answer["text"].startswith(note)


def test_what_is_on_something_else_denies_no_premise(small_index: Index, queue: Chat) -> None:
    graph = built(small_index, queue(GOOD), {GOOD: 0.9}, against=["Honey cures asthma."])
    [note] = graph.invoke(CURED, context=CHECKED)["answer"]["notes"]
    assert "do not confirm" in note


def test_a_premise_that_the_documents_support_needs_no_note(
    small_index: Index, queue: Chat
) -> None:
    graph = built(small_index, queue(GOOD), {GOOD: 0.9})
    asked = {"question": "Since asthma causes wheezing, what should I do?"}
    context = CHECKED.changed({"verification.critic": "own"})
    scripted = {GOOD: 0.9, "Asthma causes wheezing.": 0.9}
    assert (
        built(small_index, queue(GOOD), scripted).invoke(asked, context=context)["answer"]["notes"]
        == []
    )
    assert graph.invoke(asked, context=CHECKED)["answer"]["notes"] == []  # word for word


def test_a_premise_that_sources_disagree_on_is_not_supported(tmp_path: Path) -> None:
    texts = {"one": "Honey is safe for infants.", "two": "Honey is not safe for infants."}
    records = [
        Record(key, "Honey", text, "Is honey safe for infants?", focus="Honey")
        for key, text in texts.items()
    ]
    asked = {"question": "Since honey is safe for infants, how much honey may infants have?"}
    for number, contradicted in ((1, False), (2, True)):
        folder = tmp_path / str(number)
        build(records[:number], folder, HashEmbedder(), "honey")
        graph = built(
            Index.open(folder, HashEmbedder()), None, {}, against=["Honey is safe for infants."]
        )
        notes = graph.invoke(asked, context=CHECKED)["answer"]["notes"]
        assert any("contradict" in note for note in notes) is contradicted


def test_without_a_critic_a_premise_is_said_to_be_unchecked(
    small_index: Index, queue: Chat
) -> None:
    context = CHECKED.changed({"verification.critic": None})
    [note] = built(small_index, queue(GOOD), {}).invoke(CURED, context=context)["answer"]["notes"]
    assert "was not checked" in note
    assert "Honey cures asthma." in note


def test_the_note_on_a_premise_stands_where_nothing_is_found_too(
    small_index: Index, queue: Chat
) -> None:
    answer = built(small_index, queue(NOT_FOUND), {}).invoke(CURED, context=CHECKED)["answer"]
    assert answer["outcome"] == "abstained"
    assert "Honey cures asthma." in answer["text"]
    assert "do not confirm" in answer["text"]


@pytest.mark.parametrize(
    ("asked", "settings", "expected"),
    [
        (CURED, {}, "do not confirm"),
        (DENYING, {}, "contradict"),
        (DENYING, {"verification.critic": None}, "was not checked"),
    ],
)
def test_a_premise_is_checked_where_the_gate_stops_the_question(
    small_index: Index, asked: dict[str, str], settings: dict[str, Any], expected: str
) -> None:
    context = CHECKED.changed({"retrieval.min_relevance": 1.0, **settings})
    graph = built(small_index, None, {}, against=[DENIED])
    state: dict[str, Any] = {}
    for update in graph.stream(asked, context=context, stream_mode="updates"):
        state |= update
    assert "generate" not in state
    answer = state["remember"]["answer"]
    assert (answer["outcome"], answer["statements"]) == ("abstained", [])
    [note] = answer["notes"]
    assert expected in note
    assert note in answer["text"]
    assert len(answer["sources"]) == (expected == "contradict")
    assert answer["critic"] == settings.get("verification.critic", "scripted")


def test_a_premise_that_is_supported_needs_no_note_at_the_gate_either(small_index: Index) -> None:
    context = CHECKED.changed({"retrieval.min_relevance": 1.0})
    asked = {"question": "Since asthma causes wheezing, what should I do?"}
    answer = built(small_index, None, {}).invoke(asked, context=context)["answer"]
    assert (answer["outcome"], answer["notes"]) == ("abstained", [])


def test_no_critic_is_asked_of_a_premise_in_an_emergency(small_index: Index) -> None:
    said = "Since honey cures asthma, how much do I need? I can't breathe and my lips are blue."
    nowhere = CHECKED.changed({"verification.critic": "hf:./nowhere"})
    answer = build_graph(index=small_index).invoke({"question": said}, context=nowhere)["answer"]
    assert (answer["outcome"], answer["notes"]) == ("urgent", [])


@pytest.mark.parametrize(
    ("clause", "denied"), [("attacks can not be severe", True), ("attacks follow a cold", False)]
)
def test_a_clause_that_may_be_no_premise_is_reported_only_if_it_is_denied(
    small_index: Index, queue: Chat, clause: str, denied: bool
) -> None:
    against = ["Attacks can not be severe.", "Attacks follow a cold."]
    graph = built(small_index, queue(GOOD), {GOOD: 0.9}, against=against)
    said = {"question": f"Since {clause}, what is asthma?"}
    answer = graph.invoke(said, context=CHECKED)["answer"]
    assert len(answer["notes"]) == (answer["premise"] is not None) == denied
