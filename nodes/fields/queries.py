"""The queries of a message with several questions, and of further rounds, as the state has them."""

from typing import NotRequired

from typing_extensions import TypedDict


class NextQuery(TypedDict):
    """The query of a further round: the previous query with the unconfirmed ``claims``."""

    query: str
    claims: list[str]


NextQueries = dict[str, NextQuery]
"""The queries of the next round by question number, which verify passes to rewrite."""


class SubQuestion(TypedDict):
    """One of several questions in a message.

    ``question`` has its words, ``query`` the text that is searched for and read, ``later_queries``
    the queries of later rounds. One that is ``closed`` is not searched for again.
    """

    question: str
    query: str
    later_queries: NotRequired[list[str]]
    closed: NotRequired[bool]
