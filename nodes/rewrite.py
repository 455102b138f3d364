"""Build the next query from the unsupported statements [S1, S6]."""

from collections.abc import Sequence

from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.constants import TAG_NOSTREAM
from langgraph.runtime import Runtime

from anamnesis import ModelError
from anamnesis.language.text import tokenize
from anamnesis.models.chat import PROMPTS, ask, name_of
from anamnesis.models.wrapped import Chat
from nodes.context import Context, settings
from nodes.evidence.relevance import Ask, NextQuery
from nodes.parts import Parts
from nodes.question.several import each, is_open
from nodes.state import Round, State, Update
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


def unconfirmed(this: Round, undecided: bool) -> list[str]:
    """The statements to search for next: unsupported ones, or all if no option was confirmed."""
    return [
        item["text"] for item in this["statements"] if undecided or item["verdict"] != "supported"
    ]


def is_new(query: str, queries: Sequence[str]) -> bool:
    """Whether no earlier query has the same words."""
    return set(tokenize(query)) not in [set(tokenize(earlier)) for earlier in queries]


def next_queries(state: State, threshold: float) -> dict[str, NextQuery]:
    """The next query of each question that the last round did not settle, if it is a new query.

    The keys are the numbers of the questions, or 0 if there is only one. If there are several, a
    question is left out when the round has confirmed the share ``threshold`` of its statements.
    """
    found: dict[str, NextQuery] = {}
    for number, item in each(state):
        last = item["rounds"][-1]
        enough = last["score"] > 0 and last["score"] >= threshold
        if number and (enough or not is_open(state, number)):
            continue
        claims = unconfirmed(last, bool(state["choices"]) and last["choice"] is None)
        query = extend_query(item["queries"][-1], claims)
        if is_new(query, item["queries"]):
            found[str(number)] = {"query": query, "claims": claims}
    return found


def rewrite(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """Add the next query, or the next query of each of several questions, to the earlier ones.

    ``verify`` has computed it, because the query decides whether there is another round; a chat
    model may change its wording. Statements about one question are never added to the query of
    another.
    """
    context = settings(runtime)
    chat = parts.chat(context) if context.loop.rewrite == "model" else None
    found = state.get("following")
    if found is None:  # the state was written by a caller, not by that step
        found = next_queries(state, context.loop.min_supported_share)
    made: dict[int, str] = {}
    for number, item in each(state):
        following = found.get(str(number))
        if following is None and number and not _again(item, context):
            continue
        query, claims = item["queries"][-1], list[str]()
        if following is not None:
            query, claims = following["query"], following["claims"]
        made[number] = (chat and _written(chat, item["queries"], claims)) or query
    asks: list[Ask] = []
    for number, asked in enumerate(state.get("asks") or [], 1):
        if number in made:
            asks.append({**asked, "later": [*asked.get("later", []), made[number]]})
        else:
            asks.append({**asked, "closed": True})
    queries = [*state["queries"], " ".join(made.values())]
    return {"queries": queries, "asks": asks} if asks else {"queries": queries}


def _again(state: State, context: Context) -> bool:
    """Whether the same query is asked once more, because the prompt has a different history."""
    below = not state["rounds"] or state["rounds"][-1]["score"] < context.loop.min_supported_share
    return context.loop.history == "rounds" and below


def _written(chat: Chat, queries: Sequence[str], unsupported: Sequence[str]) -> str | None:
    """A chat model's next query; None if it writes none that is new and short."""
    request = "\n".join(
        [
            f"Question: {queries[0]}",
            *(f"Searched already: {query}" for query in queries[1:]),
            *(f"Not confirmed: {claim}" for claim in unsupported),
        ]
    )
    try:
        reply = ask(
            chat,
            [SystemMessage(load("rewrite").strip()), HumanMessage(request)],
            name_of(chat),
            {"tags": [TAG_NOSTREAM], "metadata": {PROMPTS: ["rewrite"]}},
        ).text
    except ModelError:  # the error is in the log
        return None
    lines = [line.strip(" \"'") for line in reply.splitlines() if line.strip()]
    query = lines[0].removeprefix("Query:").strip() if len(lines) == 1 else ""
    fits = 0 < len(query.split()) <= _LONGEST and set(tokenize(query))
    return query if fits and is_new(query, queries) else None
