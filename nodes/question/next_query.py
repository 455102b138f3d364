"""The next query: the earlier one with the unconfirmed statements [S1]; pure decisions."""

from collections.abc import Sequence

from anamnesis.language.text import tokenize
from nodes.fields.queries import NextQuery
from nodes.question.several import is_open, question_states
from nodes.state import State


def extend_query(query: str, unsupported: Sequence[str]) -> str:
    """The query followed by the unsupported statements: Q_{i+1} = Q_i ∪ U_i [S1].

    A statement is left out if the query already has all of its words.
    """
    for statement in unsupported:
        if not set(tokenize(statement)) <= set(tokenize(query)):
            query = f"{query} {statement}"
    return query


def is_new(query: str, queries: Sequence[str]) -> bool:
    """Whether no earlier query has the same words."""
    return set(tokenize(query)) not in [set(tokenize(earlier)) for earlier in queries]


def next_queries(state: State, threshold: float) -> dict[str, NextQuery]:
    """The next query of each question that the last round did not answer, if the query is new.

    The keys are the numbers of the questions, or 0 if there is only one. If there are several, a
    question is left out when the round has confirmed the share ``threshold`` of its statements.
    """
    found: dict[str, NextQuery] = {}
    for number, item in question_states(state):
        last = item["rounds"][-1]
        enough = last["score"] > 0 and last["score"] >= threshold
        if number and (enough or not is_open(state, number)):
            continue
        # If no option was confirmed, all statements are searched for.
        every = bool(state["keyed_options"]) and last["choice"] is None
        said = last["statements"]
        claims = [item["text"] for item in said if every or item["verdict"] != "supported"]
        query = extend_query(item["queries"][-1], claims)
        if is_new(query, item["queries"]):
            found[str(number)] = {"query": query, "claims": claims}
    return found
