"""The query of the next round: the last one with what was not confirmed, if it is new."""

from typing import Any, cast

from nodes.question.next_query import extend_query, is_new, next_queries
from nodes.state import State

SIGNS, FEVER = "Coughing is a sign.", "Fever is a sign."


def judged(*texts: str, verdict: str = "unsupported", part: int | None = None) -> list[Any]:
    return [{"text": text, "verdict": verdict, "part": part} for text in texts]


def state(statements: list[Any], score: float = 0.0, **changes: Any) -> State:
    last = {"statements": statements, "score": score, "choice": None, "cited": []}
    fields = {"queries": ["asthma"], "rounds": [last], "keyed_options": {}, "sub_questions": []}
    return cast(State, {**fields, "hits": [], "read": [], "selected": [], **changes})


def test_the_next_query_is_the_last_with_what_was_unsupported() -> None:
    assert extend_query("asthma signs", ["Fever is a sign."]) == "asthma signs Fever is a sign."
    assert extend_query("asthma signs", ["Asthma signs."]) == "asthma signs"
    assert extend_query("asthma", []) == "asthma"


def test_a_query_is_new_if_no_earlier_one_has_the_same_words() -> None:
    assert is_new("signs of asthma", ["asthma", "asthma treatment"])
    assert not is_new("Of asthma: signs!", ["gout", "signs of asthma"])
    assert is_new("signs", ["signs of asthma"])
    assert is_new("asthma", [])


def test_what_is_not_confirmed_is_searched_for_next() -> None:
    said = [*judged(SIGNS, verdict="supported"), *judged(FEVER)]
    query = f"asthma {FEVER}"
    assert next_queries(state(said, 0.5), 0.7) == {"0": {"query": query, "claims": [FEVER]}}
    # One question is searched for again however much of it is confirmed: routes end the loop.
    assert next_queries(state(said, 0.9), 0.7)["0"]["query"] == query


def test_without_a_new_query_nothing_is_searched_for() -> None:
    assert next_queries(state(judged(SIGNS, verdict="supported"), 1.0), 0.7) == {}
    asked = [f"asthma {FEVER}", f"{FEVER} asthma"]
    assert next_queries(state(judged(FEVER), queries=asked), 0.7) == {}


def test_where_no_option_was_confirmed_all_statements_are_searched_for() -> None:
    said = [*judged(SIGNS, verdict="supported"), *judged(FEVER)]
    judged_state = state(said, keyed_options={"A": "cough", "B": "fever"})
    assert next_queries(judged_state, 0.7)["0"]["claims"] == [SIGNS, FEVER]
    judged_state["rounds"][-1]["choice"] = "A"
    assert next_queries(judged_state, 0.7)["0"]["claims"] == [FEVER]


def test_of_several_questions_those_that_are_open_and_not_confirmed_have_a_next_query() -> None:
    asks = [{"question": f"{name}?", "query": name} for name in ("asthma", "gout", "mumps")]
    asks[2]["closed"] = True  # type: ignore[assignment]
    said = [
        *judged(SIGNS, verdict="supported", part=1),
        *judged(FEVER, part=2),
        *judged(FEVER, part=3),
    ]
    judged_state = state(said, sub_questions=asks)
    assert next_queries(judged_state, 0.7) == {"2": {"query": f"gout {FEVER}", "claims": [FEVER]}}
