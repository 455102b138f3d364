"""What is shown if no round supports everything."""

from typing import Any

import pytest

from graph import Context
from nodes.parts import Parts
from nodes.writing.remaining import remaining_answer
from tests.fakes import FakeCritic, silent
from tests.nodes.steps import drafted, judged, round_of, state_of

GOOD, OTHER = judged("Asthma causes wheezing."), judged("Asthma is treated with inhalers.")
WRONG = judged("Asthma is cured by honey.", "unsupported")
PARTS = Parts(given_critic=FakeCritic(silent))


def of(*rounds: Any, context: Context | None = None, **more: Any) -> Any:
    state = state_of(rounds=list(rounds), draft=drafted(), **more)
    return remaining_answer(state, context or Context(), PARTS)


def test_of_the_rounds_the_best_one_is_shown() -> None:
    found = of(round_of(GOOD, WRONG, score=0.5), round_of(WRONG, score=0.0))
    assert (found.outcome, found.shown, found.withheld) == ("partial", [GOOD], [WRONG])
    assert found.late == [GOOD]
    assert found.state["reason"] == "some_unsupported"


def test_without_a_supported_statement_nothing_is_shown() -> None:
    found = of(round_of(WRONG, score=0.0))
    assert (found.outcome, found.shown, found.withheld, found.extra) == ("abstained", [], [], ())


def test_each_of_several_questions_has_its_own_best_round() -> None:
    one, two = {**GOOD, "part": 1}, {**OTHER, "part": 2}
    wrong = {**WRONG, "part": 2}
    questions = [{"question": "?", "query": "?"}] * 2
    found = of(
        round_of(one, wrong, score=0.5),
        round_of(wrong, two, {**WRONG, "part": 1}, score=0.3),
        sub_questions=questions,
    )
    assert found.shown == [one, two]
    assert found.withheld == [wrong]


@pytest.mark.parametrize(("verdicts", "shown"), [("entailment", [GOOD]), ("checked", [])])
def test_reasons_are_shown_with_an_option_or_not_at_all(verdicts: str, shown: list[Any]) -> None:
    context = Context.model_validate({"verification.verdicts": verdicts})
    named = round_of(GOOD, WRONG, score=0.5, choice="A")
    last = round_of(WRONG, score=0.0, choice=None)
    found = of(named, last, context=context, keyed_options={"A": "wheezing", "B": "honey"})
    assert found.shown == shown
    if shown:  # the round that has the option is the last one of the state
        assert found.state["rounds"] == [last, named]
    unnamed = round_of(GOOD, score=1.0, choice=None)
    assert of(unnamed, context=context, keyed_options={"A": "x", "B": "y"}).shown == []


def test_of_streamed_rounds_all_that_was_shown_stays() -> None:
    context = Context.model_validate({"generator.stream_statements": True})
    rounds = [round_of(GOOD, WRONG, score=0.5), round_of(OTHER, WRONG, score=0.5)]
    found = of(*rounds, context=context)
    assert found.shown == [GOOD, OTHER]
    assert found.withheld == [WRONG]
    assert found.late == []
