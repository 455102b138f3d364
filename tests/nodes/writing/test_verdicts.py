"""A yes or a no is shown only if the critic finds it in a statement."""

from typing import Any

import pytest

from anamnesis import ModelError
from nodes.writing.draft import statement
from nodes.writing.verdicts import LEAST_CONFIRMATION, Verdict, confirmed_verdict
from tests.fakes import FakeCritic

BUTTER = "should I put butter on a burn"
SAYS = [statement("Cool the burn under water.", ["a"]), statement("Butter must not.", ["a"])]


def critic(entails: float, denies: float) -> Any:
    """Finds these in the statement on butter; it is given the claim as what is judged."""
    return FakeCritic(
        lambda said, text: (entails, denies) if "Butter" in text else (0.0, 0.0), "fake"
    )


@pytest.mark.parametrize(
    ("word", "entails", "denies", "shown"),
    [
        ("no", 0.0, LEAST_CONFIRMATION, "no"),
        ("no", LEAST_CONFIRMATION, LEAST_CONFIRMATION - 0.01, None),
        ("yes", LEAST_CONFIRMATION, 0.0, "yes"),
        ("yes", LEAST_CONFIRMATION - 0.01, LEAST_CONFIRMATION, None),
        ("depends", 0.0, 0.0, "depends"),
        (None, 1.0, 1.0, None),
    ],
)
def test_a_verdict_needs_a_statement_that_says_it(
    word: Verdict, entails: float, denies: float, shown: Verdict
) -> None:
    assert confirmed_verdict(word, BUTTER, SAYS, critic(entails, denies)) == shown


def test_without_a_critic_the_reader_decides() -> None:
    assert confirmed_verdict("no", BUTTER, SAYS, None) == "no"


def test_the_critic_judges_the_question_as_it_was_asked() -> None:
    judged = FakeCritic(lambda said, text: (float(said == BUTTER), 0.0), "fake")

    assert confirmed_verdict("yes", f"{BUTTER}?", SAYS, judged) == "yes"


def test_a_critic_that_fails_confirms_nothing() -> None:
    def fail(said: str, text: str) -> tuple[float, float]:
        raise ModelError("out of reach")

    assert confirmed_verdict("no", BUTTER, SAYS, FakeCritic(fail, "fake")) is None
