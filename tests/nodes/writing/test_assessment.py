"""What is known about the statements of an answer together."""

from math import prod
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis.corpus.passage import Passage
from graph import Context
from nodes.parts import Parts
from nodes.writing.assessment import Assessment, assess, confidence
from tests.fakes import FakeCritic, NoReranker, silent
from tests.nodes.steps import drafted, judged, round_of, selected, state_of

CRITIC = FakeCritic(silent)
QUESTIONS = [
    {"question": "What is asthma?", "query": "What is asthma?"},
    {"question": "What is gout?", "query": "What is gout?"},
]


def sure(probability: float | None, **more: Any) -> Any:
    return judged("Asthma causes wheezing.", probability=probability, **more)


def found(state: Any, *statements: Any, near: Any = None, **context: Any) -> Assessment:
    parts = Parts(given_critic=CRITIC, given_reranker=NoReranker())
    settings = Context.model_validate(context)
    return assess(state, statements, None, near or {}, lambda *_: False, settings, parts)


def state(**more: Any) -> Any:
    given = {
        "reason": "supported", "draft": drafted(), "selected": [selected("asthma")],
        "rounds": [round_of(sure(0.9), score=1.0)],
    }  # fmt: skip
    return state_of(**{**given, **more})


@settings(max_examples=30)
@given(
    st.lists(st.none() | st.floats(0, 1), max_size=4), st.none() | st.floats(0, 1)
)  # fmt: skip
def test_all_statements_and_the_choice_hold_together_by_the_product(
    chances: list[float | None], chosen: float | None
) -> None:
    value = confidence([sure(chance) for chance in chances], chosen)
    known = [chance for chance in chances if chance is not None]
    if not chances or len(known) < len(chances):
        assert value is None
    else:
        expected = prod(known) * (1.0 if chosen is None else chosen)
        assert value == pytest.approx(expected, abs=1e-4)


def test_an_answer_has_the_relevance_of_what_it_cites_and_the_support_of_the_critic() -> None:
    assessment = found(state(), sure(0.9), sure(0.5))
    assert assessment.confidence == {"support": 0.45, "relevance": 0.9}
    assert assessment.critic is not None
    assert assessment.critic.name == CRITIC.name
    assert (assessment.problem, assessment.results, assessment.unsure) == (None, [], False)


def test_without_a_round_nothing_was_judged() -> None:
    assessment = found(state(rounds=[]), sure(None))
    assert assessment.critic is None
    assert assessment.confidence["support"] is None


OPTIONS = {"A": "honey", "B": "inhalers"}
ALWAYS = {"verification.always_choose": True}


@pytest.mark.parametrize(
    ("chance", "context", "chosen_by", "unchecked", "support"),
    [
        (0.8, {}, "sources", None, 0.72),
        (None, {}, "sources", None, 0.9),
        (None, ALWAYS, "draft", "option_drafted", 0.0),
        (0.0, ALWAYS, "nearest", "option_nearest", 0.0),
        (0.8, {"verification.critic": None}, "draft", None, None),
    ],
)
def test_what_chose_the_option_is_said(
    chance: float | None, context: Any, chosen_by: str, unchecked: str | None, support: float | None
) -> None:
    state_of_parts = state(
        keyed_options=OPTIONS, draft={**drafted(), "choice_probability": chance},
        rounds=[round_of(sure(0.9), score=1.0, choice="B")],
    )  # fmt: skip
    assessment = found(state_of_parts, sure(0.9), **context)
    assert (assessment.choice, assessment.chosen_by, assessment.unchecked) == (
        "B",
        chosen_by,
        unchecked,
    )
    assert assessment.confidence["support"] == support
    assert assessment.verdict is None
    # Without a statement there is no choice.
    assert found(state_of_parts, **context).choice is None


def test_each_of_several_questions_has_its_own_result() -> None:
    read = [{"id": "gout#0", "relevance": 0.3, "start": 0, "end": 5, "part": 2}]
    gout = Passage("gout#0", "gout", 0, 20, "Gout hurts the toes.", title="Gout")
    state_of_parts = state(
        sub_questions=QUESTIONS, read=read,
        selected=[selected("asthma", part=1), selected("gout", 0.3, part=2)],
        draft={**drafted(), "problems": {"2": "silent"}},
    )  # fmt: skip
    one, two = found(state_of_parts, sure(0.9, part=1), near={"gout#0": gout}).results
    assert (one["question"], one["answered"], one["relevance"]) == ("What is asthma?", True, 0.9)
    assert (one["nearest"], one["note"]) == ([], None)
    assert (two["answered"], two["relevance"], two["verdict"]) == (False, None, None)
    assert [item["id"] for item in two["nearest"]] == ["gout"]
    assert "did not answer" in str(two["note"])


def test_a_problem_of_every_question_is_one_of_the_whole_answer() -> None:
    both = {**drafted(), "problems": {"1": "silent", "2": "silent"}}
    state_of_parts = state(sub_questions=QUESTIONS, draft=both, selected=[])
    assessment = found(state_of_parts, sure(0.9, part=1), sure(0.9, part=2))
    assert assessment.problem == "silent"
    assert [item["note"] for item in assessment.results] == [None, None]
