"""The next query as a chat model words it [S6]."""

from collections.abc import Sequence

from langchain_core.messages import HumanMessage, SystemMessage

from anamnesis import ModelError
from anamnesis.language.text import tokenize
from anamnesis.models.chat import ask, name_of, of_prompt
from anamnesis.models.wrapped import Chat
from nodes.question.next_query import is_new
from prompts import load

_LONGEST = 60
"""Maximum number of words of a query that a model writes."""


def written_by(chat: Chat, queries: Sequence[str], claims: Sequence[str]) -> str | None:
    """The chat model's next query; None if it writes none that is new and short.

    ``queries`` are the earlier ones, ``claims`` the statements that were not confirmed.
    """
    asked = [f"Question: {queries[0]}", *(f"Searched already: {query}" for query in queries[1:])]
    request = "\n".join([*asked, *(f"Not confirmed: {claim}" for claim in claims)])
    messages = [SystemMessage(load("rewrite").strip()), HumanMessage(request)]
    try:
        reply = ask(chat, messages, name_of(chat), of_prompt("rewrite")).text
    except ModelError:  # the error is in the log
        return None
    lines = [line.strip(" \"'") for line in reply.splitlines() if line.strip()]
    query = lines[0].removeprefix("Query:").strip(" \"'") if len(lines) == 1 else ""
    fits = 0 < len(query.split()) <= _LONGEST and set(tokenize(query))
    return query if fits and is_new(query, queries) else None
