"""Verify stored exchanges again when the index has changed, and mark outdated ones.

An exchange contains the digests of the passages that it cited (``anamnesis.memory.grounds``). If
one has changed or was removed, its statements are judged by the present passages: the cited ones,
and those that a search for the question finds and the reader finds relevant.
"""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime

from anamnesis import ModelError
from anamnesis.corpus.passage import Passage
from anamnesis.language.words import content_stems
from anamnesis.memory.content import Exchange
from anamnesis.memory.grounds import Grounds
from anamnesis.memory.record import Memory
from nodes.checking.judge import judge
from nodes.checking.statements import unchecked_statement
from nodes.evidence.ordering import readings_of
from nodes.evidence.relevance import relevance
from nodes.fields.recalled import Notice
from nodes.parts import Parts
from nodes.settings.context import Context
from nodes.settings.derived import least_relevance
from nodes.state import Answer, State
from retrievers.search import search

_log = logging.getLogger(__name__)

_MOST = 10
"""Maximum exchanges that are judged again in one turn, because the turn waits for it; the others
follow in later turns, and are not recalled until then."""


def grounds_of(state: State, answer: Answer, context: Context, parts: Parts) -> Grounds | None:
    """The passages that an answer cites; None if it cites none of the index."""
    cited = [*parts.find(state["cited"], context).values()]
    if not cited:
        return None
    return Grounds(
        place=parts.place(context),
        corpus=parts.index(context).manifest.corpus,
        passages={item.id: item.digest for item in cited},
        whole=_whole(state, answer, cited),
    )


def _whole(state: State, answer: Answer, cited: Sequence[Passage]) -> bool:
    """Whether the exchange says nothing but what the user wrote and what the passages say."""
    records = {item.record_id for item in cited}
    # An unchecked statement may say what a passage that it does not cite says.
    if not all(
        item["verdict"] == "supported" and records.issuperset(item["citations"])
        for item in answer["statements"]
    ):
        return False
    # A question that was made to stand alone may name what a document of an earlier turn is about.
    shown = [text for item in cited for text in (item.title, item.question, item.focus, item.text)]
    return content_stems(state["queries"][0]) <= content_stems(
        " ".join([state["original_question"], *shown])
    )


def verify_again(user: str, context: Context, parts: Parts) -> tuple[list[Notice], set[str]]:
    """The outdated exchanges to report to the user, and the ids of those that are not yet verified.

    Exchanges of another index are not changed.
    """
    store = parts.memories()
    place, corpus = parts.place(context), parts.index(context).manifest.corpus
    due = [
        item for item in _kept(user, place, parts) if item.grounds and item.grounds.corpus != corpus
    ]
    ids = {key for item in due if item.grounds for key in item.grounds.passages}
    there = parts.find(sorted(ids), context) if ids else {}
    new: dict[str, tuple[Grounds, Grounds]] = {}
    judged = 0
    for memory in due:
        if memory.grounds and is_unchanged(memory.grounds, there):
            update = {"corpus": corpus, "unsupported": (), "noticed": False}
            new[memory.id] = memory.grounds, memory.grounds.model_copy(update=update)
        elif isinstance(memory.content, Exchange) and memory.grounds and judged < _MOST:
            judged += 1
            try:
                judgement = _judge_again(memory.content, memory.grounds, there, context, parts)
            except ModelError as error:
                if not parts.continues_after(error):
                    raise
                _log.error("an earlier answer is not judged again: %s", error)
            else:
                new[memory.id] = memory.grounds, judgement
    if new:
        store.update_citations(user, new)
    # Read again, because text that was deleted in the meantime must not be quoted.
    outdated: list[Notice] = [
        {"id": item.id, "note": _note(item.content, item.created, item.grounds.unsupported)}
        for item in _kept(user, place, parts)
        if isinstance(item.content, Exchange)
        and (item.grounds and item.grounds.unsupported and not item.grounds.noticed)
    ]
    return outdated, {item.id for item in due} - set(new)


def store_notices(user: str, notices: Sequence[Notice], parts: Parts) -> None:
    """Store that the user was informed of these outdated answers and experts' decisions."""
    shown = {item["id"] for item in notices}
    parts.questions().inform(user, sorted(shown))
    store = parts.memories()
    store.update_citations(
        user,
        {
            item.id: (item.grounds, item.grounds.model_copy(update={"noticed": True}))
            for item in store.all(user, strict=False)
            if item.id in shown and item.grounds
        },
    )


def _note(exchange: Exchange, answered: datetime, unsupported: Sequence[str]) -> str:
    """The note to the owner of an exchange that its sources no longer support."""
    quotes = " ".join(f"“{item}”" for item in unsupported)
    return (
        f"The documents have changed since your question “{exchange.question}” was answered on "
        f"{answered:%Y-%m-%d}. They no longer support: {quotes}"
    )


def _kept(user: str, place: str, parts: Parts) -> list[Memory]:
    """The user's exchanges that cite passages of the index; damaged memories are left out."""
    found = parts.memories().all(user, strict=False)
    return [
        item for item in found
        if item.kind == "exchange" and item.grounds and item.grounds.place == place
    ]  # fmt: skip


def is_unchanged(grounds: Grounds, there: Mapping[str, Passage]) -> bool:
    """Whether every cited passage is unchanged."""
    return all(
        key in there and there[key].digest == digest for key, digest in grounds.passages.items()
    )


def _judge_again(
    exchange: Exchange,
    grounds: Grounds,
    there: Mapping[str, Passage],
    context: Context,
    parts: Parts,
) -> Grounds:
    """The grounds after the statements were judged by the present content of the index."""
    near = {key: there[key] for key in grounds.passages if key in there}
    near |= {item.id: item for item in _answering(exchange.question, context, parts)}
    judged = judge(
        [unchecked_statement(item.text, []) for item in exchange.statements],
        list(near.values()),
        parts.chooser(context),
        context.verification.min_probability,
    )
    open_ = tuple(item["text"] for item in judged if item["verdict"] != "supported")
    cited = {key: near[key].digest for item in judged for key in item["citations"] if key in near}
    return grounds.model_copy(
        update={
            "corpus": parts.index(context).manifest.corpus,
            # If it is no longer supported, the earlier ones are kept, because they may come back.
            "passages": grounds.passages if open_ else cited,
            "unsupported": open_,
            "noticed": grounds.noticed and open_ == grounds.unsupported,
        }
    )


def _answering(question: str, context: Context, parts: Parts) -> list[Passage]:
    """The passages found for a question that answer it, according to the reader."""
    hits = search(
        parts.index(context),
        question,
        k=context.retrieval.rerank_depth,
        reduce_query=context.retrieval.reduce_query,
        fusion=context.retrieval.fusion,
    )
    passages = parts.passages([hit["id"] for hit in hits], context)
    readings = readings_of(parts.reader(context), question, passages)
    least = least_relevance({}, context)
    return [
        item
        for item, reading in zip(passages, readings, strict=True)
        if relevance(reading, None) >= least
    ]
