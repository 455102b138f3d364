"""Long messages, condensed to their questions by a chat model."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from nodes.question.condensing import LONG, adds_nothing, condense, is_long
from tests.fakes import FailingChat

LETTER = (
    "Dear Sir, my wife is 34 and has lupus, she takes 200 mg of hydroxychloroquine, her mother had "
    "gout and he was always in pain. We want a child. Can you please say whether it is safe to go "
    "on taking it when she gets pregnant? And what about the sun. Thank you and God bless, John"
)
COMMON = {"treatment": 1.4, "symptoms": 0.4}


def idf(words: Sequence[str]) -> list[float]:
    return [COMMON.get(word, 6.0) for word in words]


def nothing_known(words: Sequence[str]) -> list[float]:
    return [0.0 for _ in words]


@pytest.mark.parametrize(
    ("reply", "lines"),
    [
        ("Is hydroxychloroquine safe when pregnant?",) * 2,
        (' "Is it safe to take hydroxychloroquine when pregnant?" ',
         "Is it safe to take hydroxychloroquine when pregnant?"),
        ("1. Is hydroxychloroquine safe when pregnant?\n- What about the sun and lupus?\n",
         "Is hydroxychloroquine safe when pregnant?|What about the sun and lupus?"),
        ("What is the treatment of lupus?",) * 2,
        ("Is 200 mg of hydroxychloroquine safe?",) * 2,
        ("<think>The wife.</think>\nTell me about lupus and the sun",
         "Tell me about lupus and the sun"),
    ],
)  # fmt: skip
def test_lines_with_the_words_of_the_message_are_used(reply: str, lines: str) -> None:
    assert condense(FakeListChatModel(responses=[reply]), LETTER, idf) == lines.split("|")


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "It is safe.",
        "Is methotrexate safe when pregnant?",
        "Is 400 mg of hydroxychloroquine safe?",
        "Is hydroxychloroquine not safe when pregnant?",
        "\n".join(f"Is lupus safe {'so ' * at}?" for at in range(9)),
        "Is lupus safe " + "and lupus " * 30 + "?",
    ],
)
def test_lines_that_add_something_are_discarded(reply: str) -> None:
    assert condense(FakeListChatModel(responses=[reply]), LETTER, idf) == []


def test_a_failing_model_leaves_the_message_as_it_is() -> None:
    assert condense(FailingChat(ConnectionError("nobody listens")), LETTER, idf) == []


def test_a_retriever_without_word_counts_permits_no_other_word() -> None:
    assert not adds_nothing(["What is the treatment of lupus?"], LETTER, nothing_known)
    assert adds_nothing(["Is lupus safe?"], LETTER, nothing_known)


def test_only_long_messages_are_condensed() -> None:
    assert is_long(LETTER)
    assert not is_long("word " * LONG)


@given(st.text(max_size=300))
def test_a_message_adds_nothing_to_itself(text: str) -> None:
    line = f"{' '.join(text.split()[:20])} lupus?"
    assert adds_nothing([line], line, nothing_known)


@pytest.mark.parametrize(
    ("line", "message", "same"),
    [
        ("Is a fusion premature?", "it is fusing prematurely", True),
        ("What about diabetes?", "he is diabetic", True),
        ("What about prednisone?", "she has prednisolone", False),
        ("What about hypothyroidism?", "her hyperthyroidism", False),
        ("Is it the gout?", "in the gut", False),
    ],
)
def test_another_form_of_a_word_adds_nothing(line: str, message: str, same: bool) -> None:
    assert adds_nothing([line], message, nothing_known) is same
