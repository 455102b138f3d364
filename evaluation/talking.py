"""Talking to the graph for an evaluation: what was answered, which memories were there."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from anamnesis.models.encoder import Vectors
from anamnesis.models.reranker import load_reranker
from evaluation.chatbot import Ask, Asked, Measure, Ranker, Reply
from evaluation.methods import documents, hybrid, reranked
from evaluation.wording import bertscore, rouge_l
from graph import Context
from graph.build import Graph
from nodes.state import Answer, Input
from retrievers.corpus import Corpus


def answered(
    talk: Graph, asked: Input, context: Context, config: Mapping[str, Any] | None = None
) -> tuple[Answer, list[Mapping[str, Any]]]:
    """The answer, and the memories that were found, of which a prompt may hold some.

    ``config`` names the thread, where the graph has a checkpointer.
    """
    recalled: list[Mapping[str, Any]] = []
    told: dict[str, Any] = {}
    given: Any = config
    for update in talk.stream(asked, given, context=context, stream_mode="updates"):
        for step, own in update.items():
            recalled = own["recalled"] if step == "recall" else recalled
            told |= own or {}
    answer: Answer = told["answer"]
    return answer, recalled


def said(answer: Answer) -> str:
    """What an answer states, without markers and sources."""
    return " ".join(own["text"] for own in answer["statements"])


def asker(talk: Graph, context: Context, keeping: Context) -> Ask:
    """Asks a record's question with at most so many memories.

    A user with memories has first asked the earlier questions, with the settings ``keeping``.
    """
    users: set[str] = set()

    def ask(question: Asked, memories: int) -> Reply:
        user = question.record.id
        if memories and user not in users:
            converse(talk, [each.question for each in question.earlier], user, keeping)
            users.add(user)
        own = {
            "user": user,
            "memory.recall": memories > 0,
            "memory.max_exchanges": memories,
            "memory.consent": False,
        }
        start = time.perf_counter()
        answer, recalled = answered(
            talk, {"question": question.record.question}, context.changed(own)
        )
        ms = (time.perf_counter() - start) * 1000
        return Reply(said(answer), len(recalled), len(answer["memories"]), ms)

    return ask


def converse(talk: Graph, questions: Sequence[str], user: str, context: Context) -> None:
    """Have the user ask questions; what the settings keep of the answers is remembered."""
    own = context.changed({"user": user, "memory.recall": False, "memory.consent": True})
    for question in questions:
        talk.invoke({"question": question}, context=own)


def ranker(index: Corpus, context: Context) -> Ranker:
    """Documents for a question, in the order of the settings."""
    model = context.retrieval.reranker
    reader = load_reranker(model) if model else None

    def rank(question: str) -> list[str]:
        found = (
            reranked(index, question, context, reader)
            if reader
            else hybrid(index, question, context)
        )
        return documents(found)

    return rank


def measurer(encoder: Callable[[str], Vectors]) -> Measure:
    """ROUGE-L and BERTScore F1 of an answer beside the expected one."""

    def measure(answer: str, expected: str) -> Mapping[str, float]:
        matched = bertscore(encoder(answer), encoder(expected))
        return {"rouge_l": rouge_l(answer, expected), "bertscore_f1": matched.f1}

    return measure
