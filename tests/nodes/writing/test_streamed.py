"""What of a growing reply is complete, and what a later round adds to what was streamed."""

from nodes.checking.statements import unchecked_statement
from nodes.state import Statement
from nodes.writing.draft import complete_statements
from nodes.writing.streamed import SupportedStatements
from prompts import NOT_FOUND
from tests.graph.conftest import GOOD, TREATED, WRONG


def test_a_statement_is_complete_once_the_next_has_begun() -> None:
    def texts(words: str) -> list[tuple[str, list[str]]]:
        return [
            (statement["text"], statement["citations"])
            for statement in complete_statements(words, ["a", "b"])
        ]

    for growing in ("Rest helps", "Rest helps. ", "Rest helps. [1", "Rest helps. [1] Hon"):
        assert texts(growing) == []
    assert texts("Rest helps. [1] Honey does") == [("Rest helps.", ["a"])]
    assert texts("<think>Rest helps. Honey does not. I") == []
    assert texts(f"Rest helps. {NOT_FOUND} And") == []


def judged(text: str, verdict: str = "supported") -> Statement:
    return {**unchecked_statement(text, []), "verdict": verdict}  # type: ignore[typeddict-item]


def test_a_later_round_adds_what_is_new() -> None:
    def after(*rounds: list[Statement]) -> list[str]:
        rounds_of = [{"statements": said} for said in rounds]
        return [item["text"] for item in SupportedStatements(rounds_of).statements]  # type: ignore[arg-type]

    first, other = judged(GOOD), judged("Asthma causes wheezing.")
    assert after([first], [other]) == [GOOD]
    denied = judged("Asthma never causes wheezing.")
    assert after([first], [denied]) == [GOOD, denied["text"]]
    assert after([first, judged(WRONG, "unsupported")], [judged(TREATED)]) == [GOOD, TREATED]
    # What refers to the statement before it says nothing without that one.
    dependent = judged("It can be severe.")
    assert after([first], [other, dependent]) == [GOOD]
    assert after([first], [judged(TREATED), dependent]) == [GOOD, TREATED, dependent["text"]]
