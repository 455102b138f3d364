"""The next query: the earlier one with the unconfirmed statements, or a chat model's [S1, S6]."""

from collections.abc import Sequence

from langchain_core.messages import HumanMessage, SystemMessage

from anamnesis import ModelError
from anamnesis.language.text import tokenize
from anamnesis.models.chat import ask, name_of, of_prompt
from anamnesis.models.wrapped import Chat
from nodes.fields.queries import NextQuery
from nodes.question.several import is_open, question_states
from nodes.state import Round, State
from prompts import load

_LONGEST = 60
"""Maximum number of words of a query that a model writes."""


def extend_query(query: str, unsupported: Sequence[str]) -> str:
    """The query followed by the unsupported statements: Q_{i+1} = Q_i ∪ U_i [S1].

    A statement is left out if the query already has all of its words.
    """
    for statement in unsupported:
        if not set(tokenize(statement)) <= set(tokenize(query)):
            query = f"{query} {statement}"
    return query


def _unconfirmed(this: Round, undecided: bool) -> list[str]:
    """The statements to search for next: unsupported ones, or all if no option was confirmed."""
    return [
        item["text"] for item in this["statements"] if undecided or item["verdict"] != "supported"
    ]


def _is_new(query: str, queries: Sequence[str]) -> bool:
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
        claims = _unconfirmed(last, bool(state["keyed_options"]) and last["choice"] is None)
        query = extend_query(item["queries"][-1], claims)
        if _is_new(query, item["queries"]):
            found[str(number)] = {"query": query, "claims": claims}
    return found


def written_by(chat: Chat, queries: Sequence[str], claims: Sequence[str]) -> str | None:
    """The chat model's next query; None if it writes none that is new and short.

    ``queries`` are the earlier ones, ``claims`` the statements that were not confirmed.
    """
    request = "\n".join(
        [
            f"Question: {queries[0]}",
            *(f"Searched already: {query}" for query in queries[1:]),
            *(f"Not confirmed: {claim}" for claim in claims),
        ]
    )
    try:
        reply = ask(
            chat,
            [SystemMessage(load("rewrite").strip()), HumanMessage(request)],
            name_of(chat),
            of_prompt("rewrite"),
        ).text
    except ModelError:  # the error is in the log
        return None
    lines = [line.strip(" \"'") for line in reply.splitlines() if line.strip()]
    query = lines[0].removeprefix("Query:").strip() if len(lines) == 1 else ""
    fits = 0 < len(query.split()) <= _LONGEST and set(tokenize(query))
    return query if fits and _is_new(query, queries) else None
