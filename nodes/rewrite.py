"""Build the next query from what was not supported [S1, S6]."""

from collections.abc import Sequence

from langgraph.runtime import Runtime

from anamnesis.text import tokenize
from nodes.context import Context
from nodes.state import State, Update


def extend_query(query: str, unsupported: Sequence[str]) -> str:
    """The query with the unsupported statements behind it: Q_{i+1} = Q_i ∪ U_i [S1].

    A statement all of whose words the query already has adds nothing and is left out.
    """
    for statement in unsupported:
        if not set(tokenize(statement)) <= set(tokenize(query)):
            query = f"{query} {statement}"
    return query


def rewrite(state: State, runtime: Runtime[Context]) -> Update:
    """The next query, after those of the rounds before."""
    queries = state["queries"]
    unsupported = [
        statement["text"]
        for statement in state["draft"]["statements"]
        if statement["verdict"] != "supported"
    ]
    return {"queries": [*queries, extend_query(queries[-1], unsupported)]}
