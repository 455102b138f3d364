"""Pages of different topics that answer a question alike."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest

from anamnesis.corpus.passage import Passage
from anamnesis.language.text import sentences
from anamnesis.models.encoder import Vectors
from graph import Context, build_graph
from nodes.checking.answered import yes_no_verdict
from nodes.checking.statements import unchecked_statement
from nodes.fields.passages import Selected
from nodes.question.siblings import LEAST, left_open, with_siblings
from nodes.state import Input, State
from tests.nodes.pages import quoted_statements

TEXT = "Strong thirst is common. Many people feel tired. The sight may blur. Wounds heal slowly."
OTHER = "The legs may tingle. Infections come often. Hunger grows a lot. Body weight falls fast."
ASKS = "What are the symptoms of {}?"


def page(topic: str, question: str = ASKS, text: str = TEXT) -> Passage:
    key = topic.replace(" ", "-")
    asked = question.format(topic)
    return Passage(f"{key}#0", key, 0, len(text), text, title=topic, question=asked, focus=topic)


ONE, TWO = page("type 1 diabetes"), page("type 2 diabetes", text=OTHER)
KIND = page("inherited type 1 diabetes")
TREATED = page("gout", "How is {} treated?")


def vectors(texts: Sequence[str]) -> Vectors:
    """Headings that ask for symptoms are alike, and no others."""
    symptoms = np.array([["symptoms" in text, "symptoms" not in text] for text in texts])
    return symptoms.astype(np.float32)


def read(passage: Passage, relevance: float, **more: Any) -> Selected:
    spans = sentences(passage.text)
    item = {
        "id": passage.id, "record_id": passage.record_id, "score": 9.0, "ranks": {}, "scores": {},
        "relevance": relevance, "polar": {"yes": 1.0},
        "sentences": [[*span, 0.9] for span in spans], **more,
    }  # fmt: skip
    return cast(Selected, item)


def with_sibling_pages(*selected: Selected, least: float = 0.45) -> list[Selected]:
    pages = {passage.id: passage for passage in (ONE, TWO, KIND, TREATED)}
    return with_siblings(selected, pages, least, vectors)


def test_pages_that_answer_alike_have_the_probability_that_one_of_them_answers() -> None:
    found = with_sibling_pages(read(ONE, 0.4), read(TREATED, 0.4), read(TWO, 0.2))
    assert [passage["relevance"] for passage in found] == [0.52, 0.4, 0.52]
    assert found[0]["topics"] == found[2]["topics"] == ["type 1 diabetes", "type 2 diabetes"]
    assert "topics" not in found[1]


def test_a_page_that_answers_by_itself_leaves_open_a_sibling_that_nearly_does() -> None:
    found = with_sibling_pages(read(ONE, 0.64), read(TWO, 0.45))
    assert [passage["topics"] for passage in found] == [["type 1 diabetes", "type 2 diabetes"]] * 2


@pytest.mark.parametrize(
    "selected",
    [
        [],
        [read(ONE, 0.9), read(TWO, 0.5)],  # one page answers far more probably
        [read(ONE, 0.2), read(TWO, 0.2)],  # both together do not
        [read(ONE, 0.44), read(TWO, LEAST / 2)],  # the other one is not near
        [read(ONE, 0.4), read(TREATED, 0.4)],  # they do not answer the same question
        [read(ONE, 0.4), read(ONE, 0.4)],  # one topic
        [read(ONE, 0.4), read(KIND, 0.4)],  # the other topic is a kind of it
    ],
)
def test_where_nothing_is_left_open_all_stays(selected: list[Selected]) -> None:
    assert with_sibling_pages(*selected) == selected


@pytest.mark.parametrize(
    ("question", "is_open"),
    [
        ("what are the symptoms of diabetes", True),
        ("Symptoms of Type 2 Diabetes?", False),
        ("", True),
    ],
)
def test_a_question_that_names_one_of_the_topics_does_not_leave_it_open(
    question: str, is_open: bool
) -> None:
    selected = [read(ONE, 0.64), read(TWO, 0.45)]
    pages = {passage.id: passage for passage in (ONE, TWO)}
    found = with_siblings(selected, pages, 0.45, vectors, question=question)
    assert (found != selected) == is_open


@pytest.mark.usefixtures("at_starter")
def test_the_topic_of_each_question_of_a_message_counts() -> None:
    context = Context(memory={"recall": False})
    said: Input = {
        "question": "What are the symptoms of diabetes? Is it ok to take ibuprofen and paracetamol "
        "together?"
    }
    answer = build_graph().invoke(said, context=context)["answer"]
    [note] = [item for item in answer["notes"] if item.startswith("The question may be about")]
    assert "Type 1 diabetes" in note
    assert "Ibuprofen" not in note


def test_both_pages_are_quoted_and_the_note_names_their_topics() -> None:
    selected = with_sibling_pages(read(ONE, 0.4), read(TWO, 0.3))
    said = quoted_statements([ONE, TWO], selected, 0.45, 4)
    assert [statement["citations"] for statement in said] == [[ONE.id]] * 2 + [[TWO.id]] * 2
    [note] = left_open(cast(State, {"sub_questions": [], "selected": selected}), said)
    assert "type 1 diabetes or type 2 diabetes" in note
    assert left_open(cast(State, {"sub_questions": [], "selected": [read(ONE, 0.9)]}), said) == []


def test_what_one_topics_page_says_is_no_verdict() -> None:
    selected = with_sibling_pages(read(ONE, 0.4), read(TWO, 0.4))
    assert yes_no_verdict([unchecked_statement("Thirst.", [ONE.id])], [read(ONE, 0.9)]) == "yes"
    assert yes_no_verdict([unchecked_statement("Thirst.", [ONE.id])], selected) is None


@pytest.mark.usefixtures("at_starter")
def test_a_misspelt_question_on_two_types_is_answered_from_both_pages() -> None:
    context = Context(memory={"recall": False})
    said: Input = {"question": "wat are the sympotms of diabetis"}
    answer = build_graph().invoke(said, context=context)["answer"]
    assert [source["title"] for source in answer["sources"]] == [
        "What are the symptoms of type 2 diabetes?",
        "What are the symptoms of type 1 diabetes?",
    ]
    assert any("Type 2 diabetes or Type 1 diabetes" in note for note in answer["notes"])


@pytest.mark.usefixtures("at_starter")
def test_nothing_absurd_is_asked_back() -> None:
    said: Input = {"question": "my toddler has had a runny tummy for 3 days, what can i give him"}
    answer = build_graph().invoke(said, context=Context(memory={"recall": False}))["answer"]
    assert answer["clarify"] == []
