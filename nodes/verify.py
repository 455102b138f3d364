"""Give every statement a support probability, and decide what comes next [S1, S4]."""

import logging
from typing import cast

from langgraph.runtime import Runtime

from anamnesis import ModelError
from anamnesis.models.calling import time_left
from nodes.checking.answered import cited
from nodes.checking.other_sources import with_others
from nodes.checking.published import as_drafted
from nodes.choosing.choice import confirmed
from nodes.context import Context, settings
from nodes.evidence.safety import turned_down
from nodes.parts import Parts
from nodes.question.several import best_rounds, problems, share, unanswered
from nodes.rewrite import next_queries
from nodes.routes import after_verify
from nodes.state import Outcome, Round, State, Statement, Update
from nodes.writing.answer import compose
from nodes.writing.streamed import (
    Standing,
    judging,
    not_stated,
    one_by_one,
    problem_of,
    sending,
    streams,
)

_log = logging.getLogger(__name__)


def verify(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """Check the draft against its passages; on success the answer is composed.

    If others ask, a critic that does not answer supports nothing: only statements that were
    streamed before are shown.
    """
    known: list[Statement] = []
    try:
        return _verified(state, runtime, parts, known)
    except ModelError as error:
        if not parts.served:
            raise
        _log.error("nothing more is shown, because it could not be checked: %s", error)
    left = state["draft"]["statements"][len(known) :]
    none: Round = {
        "query": state["queries"][-1],
        "choice": None,
        "passages": [item["id"] for item in state["selected"]],
        "statements": [
            {**own, "verdict": "unsupported"} if own["verdict"] == "unchecked" else own
            for own in [*known, *left]
        ],
        "score": 0.0,
        "problem": state["draft"]["problem"],
        "problems": state["draft"].get("problems", {}),
    }
    return {
        "rounds": [*state["rounds"], none],
        "reason": "unsupported",
        "route": {"to": "fallback", "why": "the model that checks did not answer"},
    }


def _verified(
    state: State, runtime: Runtime[Context], parts: Parts, known: list[Statement]
) -> Update:
    """The update; streamed statements are added to ``known`` as they are judged."""
    context = settings(runtime)
    # Two questions may share a passage.
    ids = list(dict.fromkeys(item["id"] for item in state["selected"]))
    passages = parts.passages(ids, context)
    critic = parts.critic(context)
    draft = state["draft"]
    drafted = draft["statements"]
    streamed = streams(state, context)
    standing = Standing(state["rounds"] if streamed else [])
    standing.begin()
    send = sending(context, parts, runtime.stream_writer)
    if critic is None:
        statements = [turned_down(item) for item in drafted]
        statements = with_others(statements, parts.index(context), state["queries"][0])
    elif streamed:
        judged = judging(state, context, parts, critic)
        for item in one_by_one(drafted, judged, critic, standing, send):
            known.append(item)
        statements = known
    else:
        # A draft that another run has judged and that is resumed with other settings is judged
        # again.
        fresh: list[Statement] = [{**item, "verdict": "unchecked"} for item in drafted]
        statements = judging(state, context, parts, critic)(fresh)
    weighing = None if as_drafted(state["choices"], context) else critic
    choice = (
        confirmed(state, passages, weighing, context.verification.min_probability)
        if state["choices"]
        else None
    )
    queries = state["queries"]
    this: Round = {
        "query": queries[-1],
        "choice": choice,
        "passages": [passage.id for passage in passages],
        "statements": statements,
        "score": round(share(statements), 4),
        "cited": cited(statements, state["selected"]),
        "problem": draft["problem"],
        "problems": draft.get("problems", {}),
    }
    rounds = [*state["rounds"], this]
    undecided = bool(state["choices"]) and choice is None
    so_far: State = {**state, "rounds": rounds}
    # Each of several questions keeps its best round, and each of these must reach the threshold.
    best = best_rounds(so_far) if state.get("asks") else {0: this}
    said = [item for own in best.values() for item in own["statements"]]
    shown = [item for item in said if item["verdict"] in ("supported", "unchecked")]
    unsupported = [item for item in said if item not in shown]
    if streamed:
        unsupported = not_stated(unsupported, rounds)
    score = min(
        (share(own["statements"]) for own in best.values() if own["statements"]), default=0.0
    )
    left = time_left()
    following = next_queries(so_far, context.loop.min_supported_share)
    reason, route = after_verify(
        found=draft["found"] and (bool(shown) or not unsupported or critic is not None),
        checked=critic is not None,
        undecided=undecided,
        score=score,
        threshold=context.loop.min_supported_share,
        rounds=len(rounds),
        max_rounds=0 if left is not None and left <= 0 else context.loop.max_rounds,
        # With a different history in the prompt, the same query is asked again.
        new_query=bool(following) or context.loop.history == "rounds",
    )
    update: Update = {
        "draft": {**draft, "statements": statements},
        "rounds": rounds,
        "reason": reason,
        "route": route,
    }
    if route["to"] == "rewrite":
        update["following"] = following
    if route["to"] == "remember":
        stated = standing.in_order() if critic and streamed else shown
        missing = unanswered(state, stated)
        if missing and reason == "supported":
            update["reason"] = "part_unanswered"
        made = {**update["draft"], "problems": problems(best)}
        if streamed:
            made["problem"] = problem_of(rounds, made["problem"])
        after = cast(State, {**state, **update, "draft": made})
        outcome: Outcome = "partial" if unsupported or missing else "answered"
        update["answer"] = compose(after, context, parts, outcome, stated, unsupported)
        if context.generator.stream_statements and not streamed:
            for item in stated:
                if item["verdict"] == "supported":
                    send(item)
    return update
