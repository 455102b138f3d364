"""A scripted expert who corrects an answer in a conversation of several turns [M10, M11]."""

from collections.abc import Callable, Sequence
from typing import NamedTuple
from uuid import uuid4

from evaluation.corrections import Case
from evaluation.talking import answered, statements_text
from evaluation.wording import parts
from graph import Context
from graph.build import Graph
from nodes.state import Input

MOST_TURNS = 4
"""The number of turns of the longest conversation in MARK's table 4."""
THANKS = "Thank you, that is right."

Count = Callable[[Sequence[str]], Sequence[int]]


class CorrectedConversation(NamedTuple):
    """A conversation: the number of turns until the answer was right (None: never), all
    ``messages`` of both sides, including the first question and its answer, and the ``price`` of
    the chat model's calls for them, without those for the thanks (None: unknown).
    """

    turns: int | None
    messages: tuple[str, ...]
    price: float | None

    @property
    def exchanges(self) -> int:
        """Questions and corrections that were answered; thanks are not one."""
        return len(self.messages) // 2

    def words(self) -> int:
        """Words of the whole conversation."""
        return sum(len(text.split()) for text in self.messages)

    def tokens(self, count: Count) -> int:
        """Tokens of the whole conversation, as counted by an embedder."""
        return sum(count(self.messages))


def corrections(case: Case) -> list[str]:
    """The expert's utterances by turn, each more detailed than the last. The question is asked
    again with each.
    """
    text = case.explanation
    first = next(iter(parts(text)), text)
    right = case.options[case.answer]
    replies = ("That is not right.", f"No. {first}", f"No. {text}", f"No, the answer is “{right}”.")
    return [f"{item} {case.text}" for item in replies[:MOST_TURNS]]


def correct(talk: Graph, case: Case, context: Context) -> CorrectedConversation:
    """Ask a question, and correct its answer until it is right or no correction is left.

    ``talk`` has a checkpointer; memories are stored as ``context`` permits. After the right answer
    the expert says thanks, because MARK's extractors read what made a user accept an answer.
    """
    thread = {"configurable": {"thread_id": uuid4().hex}}

    price: float | None = None

    def ask(text: str) -> bool:
        nonlocal price
        question: Input = {"question": text, "options": dict(case.options)}
        answer, _ = answered(talk, question, context, thread)
        named = f"{case.options[answer['choice']]}. " if answer["choice"] else ""
        exchange.extend((text, f"{named}{statements_text(answer)}"))
        price = answer["usage"]["session"]["price"]
        return answer["choice"] == case.answer

    exchange: list[str] = []
    if ask(case.text):
        return CorrectedConversation(0, tuple(exchange), price)
    for turn, reply in enumerate(corrections(case), 1):
        if ask(reply):
            answered(talk, {"question": THANKS}, context, thread)
            return CorrectedConversation(turn, (*exchange, THANKS), price)
    return CorrectedConversation(None, tuple(exchange), price)
