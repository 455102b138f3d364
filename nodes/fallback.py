"""The safe answer: nothing in it that its evidence does not support [H5, S7]."""

import logging
from collections.abc import Sequence

from langgraph.runtime import Runtime

from anamnesis import ModelError
from corpus.passage import Passage
from models.embedding import load_embedder
from models.reranker import Reranker
from nodes.answer import compose
from nodes.assumed import checked
from nodes.context import Context, settings
from nodes.first_aid import steps
from nodes.generate import quoted
from nodes.judge import judge
from nodes.other_sources import with_others
from nodes.parts import Parts
from nodes.render import WITHHELD
from nodes.safety import all_safe
from nodes.several import each, joined
from nodes.state import Draft, Outcome, Premise, Round, State, Statement, Update

_log = logging.getLogger(__name__)


def best_round(rounds: list[Round]) -> Round | None:
    """The round with the largest share of supported statements; of equals, with the most [S7]."""
    return max(
        rounds,
        key=lambda item: (
            item["score"],
            sum(statement["verdict"] == "supported" for statement in item["statements"]),
        ),
        default=None,
    )


def fallback(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """What the best round could support, the rest named as not confirmed; else what is quoted.

    Where nothing can be quoted either, there is no claim at all.
    """
    context = settings(runtime)
    best = best_round(state["rounds"])
    statements = best["statements"] if best else []
    published = context.verdicts == "published"
    named = published and best is not None and best["choice"] is not None
    # The answer to a multiple choice question is one option or none: reasons without it are none.
    statements = statements if named or not state["choices"] else []
    supported = [item for item in statements if item["verdict"] == "supported"]
    unconfirmed = [item for item in statements if item["verdict"] != "supported"]
    draft = state.get("draft")
    if unconfirmed and not (supported or published):
        supported, draft = _quoted(state, unconfirmed, context, parts)
    premise = _checked(state, context, parts)
    urgent = state["reason"] == "emergency"
    page = None
    if urgent and state["urgency"]["kind"] != "self-harm":
        page = _first_aid(state["asked"], parts.reader(context))
        supported = page[1] if page else []
    outcome: Outcome = "urgent" if urgent else "partial" if supported else "abstained"
    after: State = {**state, "premise": premise}
    if draft:
        after["draft"] = draft
    if outcome == "partial":
        after["reason"] = "some_unsupported"
        if best and named:  # the round that is answered from
            after["rounds"] = [*(own for own in state["rounds"] if own is not best), best]
    return {
        "premise": premise,
        "answer": compose(
            after,
            context,
            parts,
            outcome,
            supported,
            unconfirmed if outcome == "partial" else [],
            [page[0]] if page else [],
        ),
    }


def _quoted(
    state: State, unconfirmed: Sequence[Statement], context: Context, parts: Parts
) -> tuple[list[Statement], Draft]:
    """What can be quoted where all that a chat model wrote was checked and withheld, and its draft.

    Nothing where the documents were quoted already, or where the critic did not answer.
    """
    draft, critic = state["draft"], parts.critic(context)
    checked = all(item["probability"] is not None for item in unconfirmed)
    if not checked or critic is None or draft["problem"] or parts.chat(context) is None:
        return [], draft
    index = parts.index(context)

    def passages(own: State) -> list[Passage]:
        return all_safe(index.passages([item["id"] for item in own["selected"]]))

    drafts = [
        (number, quoted(own, context, parts, passages(own))["draft"]) for number, own in each(state)
    ]
    made: Draft = joined(drafts)
    found = index.passages([hit["id"] for hit in state["hits"]])
    try:
        judged = judge(made["statements"], passages(state), critic, context.support, found)
    except ModelError:  # the log has it
        if not parts.served:
            raise
        return [], draft
    judged = with_others(judged, index, state["queries"][0])
    shown = [item for item in judged if item["verdict"] == "supported"]
    return (shown, {**made, "problem": WITHHELD}) if shown else ([], draft)


def _first_aid(message: str, reader: Reranker) -> tuple[Passage, list[Statement]] | None:
    """The steps of first aid; none where a model fails, for whom to call is said in any case.

    The pages come with the program: an emergency is answered where there is no index.
    """
    try:
        return steps(message, reader, load_embedder())
    except ModelError:
        _log.warning("no steps of first aid can be given", exc_info=True)
        return None


def _checked(state: State, context: Context, parts: Parts) -> Premise | None:
    """What the question takes for granted, checked here where no draft was: the gate stopped it."""
    premise = state["premise"]
    if premise is None or state["rounds"] or not state["selected"]:
        return premise
    passages = parts.index(context).passages([item["id"] for item in state["selected"]])
    try:
        return checked(premise, passages, parts.critic(context), context.support)
    except ModelError:  # the log has it
        if not parts.served:
            raise
        return premise
