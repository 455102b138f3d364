"""The safe answer, which contains only what its evidence supports [H5, S7]."""

import logging
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from langgraph.runtime import Runtime

from anamnesis import ModelError
from anamnesis.corpus.passage import Passage
from anamnesis.models.embedding import load_embedder
from anamnesis.models.reranker import Reranker
from nodes.checking.judge import judge
from nodes.checking.other_sources import with_others
from nodes.context import Context, settings
from nodes.evidence.safety import all_safe
from nodes.parts import Parts
from nodes.question.several import best_rounds, each, joined, problems, shared
from nodes.remembering.own_words import quoting
from nodes.state import Draft, Outcome, Round, State, Statement, Update
from nodes.writing.answer import compose
from nodes.writing.first_aid import steps
from nodes.writing.quoting import quoted_draft
from nodes.writing.render import WITHHELD
from nodes.writing.streamed import Standing, not_stated, problem_of, sending, streams

_log = logging.getLogger(__name__)


class _Found(NamedTuple):
    """What an answer shows and withholds, the statements not yet streamed, and the state behind it.

    ``extra`` are cited passages that are not in the index.
    """

    outcome: Outcome
    shown: list[Statement]
    late: list[Statement]
    withheld: list[Statement]
    state: State
    extra: Sequence[Passage] = ()


def fallback(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """Answer with the supported statements of the best round, or with quotations.

    If nothing can be quoted either, the answer makes no claim.
    """
    context = settings(runtime)
    if state["reason"] == "emergency":
        found = _emergency(state, context, parts)
    elif state["reason"] == "remembered":
        said, extra = quoting(state["said"])
        found = _Found("answered", said, said, [], state, extra)
    else:
        found = _best(state, context, parts)
    if context.generator.stream_statements:
        send = sending(context, parts, runtime.stream_writer, found.extra)
        for item in found.late:
            send(item)
    return {
        "answer": compose(
            found.state, context, parts, found.outcome, found.shown, found.withheld, found.extra
        )
    }


def _emergency(state: State, context: Context, parts: Parts) -> _Found:
    """The first-aid steps, if there are any; the answer itself says whom to call."""
    page = None
    if state["urgency"]["kind"] != "self-harm":
        page = _first_aid(state["asked"], parts.reader(context))
    said, extra = (page[1], [page[0]]) if page else ([], [])
    return _Found("urgent", said, said, [], state, extra)


def _best(state: State, context: Context, parts: Parts) -> _Found:
    """The supported statements of the best round, or quotations if all were withheld."""
    published = context.verification.verdicts == "published"
    streamed = streams(state, context)
    best = best_rounds(state)
    whole = best.get(0)
    named = published and whole is not None and whole["choice"] is not None
    # The answer to a multiple choice question is one option or none; without an option, no reasons
    # are shown.
    stated = named or not state["choices"]
    said = [item for entry in best.values() for item in entry["statements"]] if stated else []
    supported = [item for item in said if item["verdict"] == "supported"]
    unconfirmed = [item for item in said if item["verdict"] != "supported"]
    problem, by_question = whole.get("problem") if whole else None, problems(best)
    if streamed:
        supported = Standing(state["rounds"]).in_order()
        unconfirmed = not_stated(unconfirmed, state["rounds"])
        problem = problem_of(state["rounds"], problem)
    quoted = {} if published else _quotations(state, best, supported, unconfirmed, context, parts)
    for number in quoted:
        if number:
            by_question[str(number)] = WITHHELD
        else:
            problem = WITHHELD
    late = [item for quotations in quoted.values() for item in quotations]
    supported = sorted([*supported, *late], key=lambda item: item.get("part", 0))
    after: State = {**state}
    if draft := state.get("draft"):
        after["draft"] = {**draft, "problem": problem, "problems": by_question}
        if WITHHELD in (problem, shared(by_question, {item.get("part", 0) for item in supported})):
            after["draft"]["prompt"] = {}  # memories are listed only if they were in a prompt
    if not supported and state["urgency"]["kind"]:  # it may be an emergency
        first_aid = _emergency({**after, "reason": "emergency"}, context, parts)
        if first_aid.shown:
            return first_aid
    if not supported:
        return _Found("abstained", [], [], [], after)
    after["reason"] = "some_unsupported"
    if whole and named:  # the round that provides the answer
        after["rounds"] = [*(entry for entry in state["rounds"] if entry is not whole), whole]
    return _Found("partial", supported, late if streamed else supported, unconfirmed, after)


def _quotations(
    state: State,
    best: Mapping[int, Round],
    supported: Sequence[Statement],
    unconfirmed: Sequence[Statement],
    context: Context,
    parts: Parts,
) -> dict[int, list[Statement]]:
    """Quotations for each question whose statements were all withheld, by its number."""
    there = {item.get("part", 0) for item in supported}
    found: dict[int, list[Statement]] = {}
    for number, entry in each(state):
        withheld = [item for item in unconfirmed if item.get("part", 0) == number]
        if withheld and number not in there and not best[number].get("problem"):
            found[number] = _quoted(entry, number, withheld, context, parts)
    return {number: quoted for number, quoted in found.items() if quoted}


def _quoted(
    state: State,
    number: int,
    unconfirmed: Sequence[Statement],
    context: Context,
    parts: Parts,
) -> list[Statement]:
    """Quotations, if everything that a chat model wrote on one question was checked and withheld.

    ``state`` is the view of the state for question ``number``. Empty if the critic did not answer.
    """
    critic = parts.critic(context)
    checked = all(item["probability"] is not None for item in unconfirmed)
    if not checked or critic is None or parts.chat(context) is None:
        return []
    passages = all_safe(parts.passages([item["id"] for item in state["selected"]], context))
    made: Draft = joined([(number, quoted_draft(state, context, parts, passages)["draft"])])
    found = parts.passages([hit["id"] for hit in state["hits"]], context)
    try:
        judged = judge(
            made["statements"], passages, critic, context.verification.min_probability, found
        )
    except ModelError as error:
        if not parts.on_server:
            raise
        _log.error("no passage is quoted instead, because the critic failed: %s", error)
        return []
    judged = with_others(judged, parts.index(context), state["queries"][0])
    return [item for item in judged if item["verdict"] == "supported"]


def _first_aid(message: str, reader: Reranker) -> tuple[Passage, list[Statement]] | None:
    """The first-aid steps; None if a model fails, because the answer always says whom to call.

    The pages come with the program, so an emergency is answered without an index.
    """
    try:
        return steps(message, reader, load_embedder())
    except ModelError:
        _log.warning("no first-aid steps can be given", exc_info=True)
        return None
