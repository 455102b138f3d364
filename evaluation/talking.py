"""Asking the graph in an evaluation: its answers and the memories that it found."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from anamnesis.models.encoder import Vectors
from evaluation.chatbot import Ask, ChatbotQuestion, Measure, Reply
from evaluation.methods import Ranker, rankers
from evaluation.wording import bertscore, rouge_l
from graph import Context
from graph.build import Graph
from nodes.state import Answer, Input
from retrievers.corpus import Corpus
from retrievers.methods import HYBRID, RERANKED


def answered(
    talk: Graph, inputs: Input, context: Context, config: Mapping[str, Any] | None = None
) -> tuple[Answer, list[Mapping[str, Any]]]:
    """The answer, and the memories that were found, only some of which may be in the prompt.

    ``config`` names the thread, if the graph has a checkpointer.
    """
    recalled: list[Mapping[str, Any]] = []
    state: dict[str, Any] = {}
    given: Any = config
    for update in talk.stream(inputs, given, context=context, stream_mode="updates"):
        for step, item in update.items():
            recalled = item["recalled"] if step == "recall" else recalled
            state |= item or {}
    answer: Answer = state["answer"]
    return answer, recalled


def statements_text(answer: Answer) -> str:
    """The statements of an answer, without markers and sources."""
    return " ".join(item["text"] for item in answer["statements"])


def asker(talk: Graph, context: Context, keeping: Context) -> Ask:
    """Asks a record's question with at most a given number of memories.

    A user with memories has asked the earlier questions before, with the settings ``keeping``.
    """
    users: set[str] = set()

    def ask(question: ChatbotQuestion, memories: int) -> Reply:
        user = question.record.id
        if memories and user not in users:
            converse(talk, [each.question for each in question.earlier], user, keeping)
            users.add(user)
        fields = {
            "user": user,
            "memory.recall": memories > 0,
            "memory.max_exchanges": memories,
            "memory.consent": False,
        }
        start = time.perf_counter()
        answer, recalled = answered(
            talk, {"question": question.record.question}, context.changed(fields)
        )
        ms = (time.perf_counter() - start) * 1000
        return Reply(statements_text(answer), len(recalled), len(answer["memories"]), ms)

    return ask


def converse(talk: Graph, questions: Sequence[str], user: str, context: Context) -> None:
    """Have the user ask questions; memories of the answers are stored as the settings permit."""
    asking = context.changed({"user": user, "memory.recall": False, "memory.consent": True})
    for question in questions:
        talk.invoke({"question": question}, context=asking)


def ranker(index: Corpus, context: Context) -> Ranker:
    """Ranks documents for a question, with the given settings."""
    model = context.retrieval.reranker
    name = RERANKED if model else HYBRID
    return rankers(index, [name], model or "", context)[name]


def measurer(encoder: Callable[[str], Vectors]) -> Measure:
    """ROUGE-L and BERTScore F1 of an answer against the expected one."""

    def measure(answer: str, expected: str) -> Mapping[str, float]:
        matched = bertscore(encoder(answer), encoder(expected))
        return {"rouge_l": rouge_l(answer, expected), "bertscore_f1": matched.f1}

    return measure
