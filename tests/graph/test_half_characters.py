"""Half a character, of bytes that were no UTF-8 or of JSON cut short, costs no answer."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage

from anamnesis.language.text import well_formed
from graph import Context, graph
from nodes.fields.options import read_options


@given(st.text(st.characters(codec=None, categories=None)))
def test_a_well_formed_text_can_be_written_and_is_as_it_was_where_it_could(text: str) -> None:
    made = well_formed(text)
    made.encode()
    assert well_formed(made) == made
    try:
        text.encode()
    except UnicodeEncodeError:
        assert made != text
    else:
        assert made == text


@pytest.mark.parametrize(
    ("text", "made"),
    [("a\udcff b", "a\ufffd b"), ("\ud83d\ude00", "\U0001f600"), ("x\ud83d", "x\ufffd"), ("", "")],
)
def test_halves_are_replaced_and_pairs_joined(text: str, made: str) -> None:
    assert well_formed(text) == made


@pytest.mark.parametrize(
    "asked",
    [
        {"question": "What are the symptoms \udcff of asthma?"},
        {"question": "Do antibiotics cure a cold? \ud83d", "options": ["yes", "no"]},
        {"question": "Which drug lowers fever?", "options": ["Paracetamol \udcff", "Insulin"]},
        {
            "messages": [
                HumanMessage("What is asthma? \ud83d"),
                AIMessage("It narrows \udcff the airways."),
                HumanMessage("How is it treated? \ud83d"),
            ]
        },
    ],
)
def test_a_question_with_half_a_character_is_answered(
    starter_home: Path, monkeypatch: pytest.MonkeyPatch, asked: Any
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(starter_home))
    answer = graph.invoke(asked, context=Context(retrieval={"min_relevance": 0.0}))["answer"]
    assert answer["rounds"] > 0
    json.dumps(answer, ensure_ascii=False).encode()


def test_an_emergency_with_half_a_character_is_one(
    starter_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(starter_home))
    answer = graph.invoke({"question": "I want to kill myself \ud83d"})["answer"]
    assert answer["outcome"] == "urgent"


def test_options_that_differ_in_half_a_character_alone_are_refused() -> None:
    with pytest.raises(ValueError, match="two options"):
        read_options(["\ud800", "\ud801"])
