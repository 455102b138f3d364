"""The scripted expert's conversations, with a graph whose replies are known."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

import pytest

from evaluation.correcting import MOST_TURNS, THANKS, correct, corrections
from evaluation.corrections import Case
from graph import Context
from graph.build import Graph

CASE = Case(
    "Which vitamin prevents scurvy?",
    {"A": "Vitamin A", "B": "Vitamin C"},
    "B",
    "Scurvy is a lack of vitamin C. Fruit contains it.",
)


class Talking:
    """Names these options, one a turn, and keeps what it was asked and in which thread."""

    def __init__(self, *choices: str | None) -> None:
        self.choices, self.asked, self.threads = list(choices), list[str](), set[str]()

    def stream(self, asked: Any, config: Any, **_: Any) -> Iterator[dict[str, Any]]:
        self.asked.append(asked["question"])
        self.threads.add(config["configurable"]["thread_id"])
        choice = self.choices.pop(0) if self.choices else None
        session = {"price": 0.25 * len(self.asked)}
        answer = {
            "choice": choice,
            "statements": [{"text": "So it is."}],
            "usage": {"session": session},
        }
        yield {"remember": {"answer": answer}}


def counted(texts: Sequence[str]) -> list[int]:
    return [1 for _ in texts]


def test_each_turn_says_more_and_the_last_one_the_answer() -> None:
    texts = corrections(CASE)
    assert len(texts) == MOST_TURNS
    assert all(text.endswith(CASE.text) for text in texts)
    assert "Fruit" not in texts[1]
    assert CASE.explanation in texts[2]
    assert "“Vitamin C”" in texts[3]


@pytest.mark.parametrize(
    ("choices", "turns", "thanked"),
    [
        (["B"], 0, False),
        (["A", "B"], 1, True),
        (["A", None, "A", "B"], 3, True),
        (["A"], None, False),
    ],
)
def test_a_conversation_ends_with_the_right_answer(
    choices: list[str | None], turns: int | None, thanked: bool
) -> None:
    talk = Talking(*choices)
    found = correct(cast(Graph, talk), CASE, Context())
    assert found.turns == turns
    assert talk.asked[0] == CASE.text
    assert len(talk.threads) == 1
    assert (talk.asked[-1] == found.messages[-1] == THANKS) is thanked
    asked = MOST_TURNS if turns is None else turns
    assert found.price == 0.25 * (asked + 1)  # without the thanks
    assert found.tokens(counted) == len(found.messages) == 2 * (asked + 1) + thanked


def test_words_are_those_of_both_sides() -> None:
    found = correct(cast(Graph, Talking("B")), CASE, Context())
    assert found.messages == (CASE.text, "Vitamin C. So it is.")
    assert found.words() == 4 + 5
