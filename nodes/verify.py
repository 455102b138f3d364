"""Give every statement a support probability, and decide what comes next [S1, S4]."""

from collections.abc import Sequence
from typing import cast

from langgraph.runtime import Runtime

from anamnesis.text import sentences
from corpus.passage import Passage
from models.critic import Critic, Support
from nodes.answer import compose
from nodes.checks import failed_checks
from nodes.context import Context, settings
from nodes.parts import Parts
from nodes.rewrite import extend_query
from nodes.routes import after_verify
from nodes.state import Round, State, Statement, Update
from nodes.units import ADJOINING, dangling, quoted, tells_myths

_FRAGMENT = 2
"""Words of a statement that says nothing by itself ('Fever.')."""


def verify(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """Check the draft against its passages; on success the answer is composed."""
    context = settings(runtime)
    passages = parts.index(context).passages([item["id"] for item in state["selected"]])
    critic = parts.critic(context)
    drafted = state["draft"]["statements"]
    statements = judge(drafted, passages, critic, context.support) if critic else drafted
    supported = [item for item in statements if item["verdict"] == "supported"]
    unsupported = [item["text"] for item in statements if item["verdict"] != "supported"]
    score = len(supported) / len(statements) if statements else 0.0
    queries = state["queries"]
    this: Round = {
        "query": queries[-1],
        "passages": [passage.id for passage in passages],
        "statements": statements,
        "score": round(score, 4),
    }
    rounds = [*state["rounds"], this]
    reason, route = after_verify(
        found=state["draft"]["found"],
        checked=critic is not None,
        score=score,
        threshold=context.support_score,
        rounds=len(rounds),
        max_rounds=context.max_rounds,
        new_query=extend_query(queries[-1], unsupported) not in queries,
    )
    update: Update = {
        "draft": {**state["draft"], "statements": statements},
        "rounds": rounds,
        "reason": reason,
        "route": route,
    }
    if route["to"] == "remember":
        shown = statements if critic is None else supported
        hidden = [] if critic is None else unsupported
        after = cast(State, {**state, **update})
        update["answer"] = compose(
            after, context, parts, "partial" if hidden else "answered", shown, hidden
        )
    return update


def judge(
    statements: Sequence[Statement], passages: Sequence[Passage], critic: Critic, threshold: float
) -> list[Statement]:
    """The statements with probability, verdict, evidence and checked citations.

    What a passage says word for word in whole sentences is supported by it, with probability 1.
    For the rest every passage is a premise, and the best one that also passes the checks of
    numbers, negations and names counts; a statement of several sentences is as well supported as
    the least supported of them. Citations that do not support the statement are dropped, the
    supporting passage is cited. A statement that leans on the one before it needs that one.
    """
    passages = [own for own in passages if not tells_myths(own.heading, own.text)]
    if not passages:
        return [_verdict(item, [], passages, threshold) for item in statements]
    texts = [passage.text for passage in passages]
    quotations = [_quotation(item, passages) for item in statements]
    claims = [
        (place, item["text"][span.start : span.end])
        for place, item in enumerate(statements)
        if quotations[place] is None
        for span in sentences(item["text"])
    ]
    supports = critic.judge([claim for _, claim in claims], [texts] * len(claims))
    judged: list[Statement] = []
    for place, (item, quotation) in enumerate(zip(statements, quotations, strict=True)):
        own = [
            _best(claim, support, passages)
            for (owner, claim), support in zip(claims, supports, strict=True)
            if owner == place
        ]
        told = quotation or _verdict(item, own, passages, threshold)
        judged.append(_leaning(told, judged[-1] if judged else None, quotation is not None))
    return judged


def _leaning(item: Statement, before: Statement | None, quotation: bool) -> Statement:
    """The statement, unsupported if it leans on what is not shown, or is about something else.

    'It is contagious.' says something only beside the sentence before it, of the same passage; a
    quotation only right behind the place that the statement before it comes from.
    """
    short = len(item["text"].split()) <= _FRAGMENT
    if item["verdict"] != "supported" or not (short or dangling(item["text"])):
        return item
    shown = before is not None and before["verdict"] == "supported"
    if shown and before and set(before["citations"]) & set(item["citations"]):
        one, other = before["evidence"], item["evidence"]
        if not quotation or (one and other and 0 <= other["start"] - one["end"] <= ADJOINING):
            return item
    return {
        **item,
        "verdict": "unsupported",
        "citations": [],
        "evidence": None,
        "failed_checks": [*item["failed_checks"], "what it refers to"],
    }


def _quotation(item: Statement, passages: Sequence[Passage]) -> Statement | None:
    """The statement with its evidence if a passage, a cited one first, says it word for word."""
    for passage in sorted(passages, key=lambda own: own.id not in item["citations"]):
        span = quoted(item["text"], passage.text)
        if span:
            return {
                **item,
                "probability": 1.0,
                "verdict": "supported",
                "citations": [passage.id],
                "evidence": {"document": passage.id, "start": span.start, "end": span.end},
            }
    return None


def _best(
    claim: str, supports: Sequence[Support], passages: Sequence[Passage]
) -> tuple[int, Support, list[str], bool]:
    """The best-supporting passage of a claim: place, support, failed checks, contradicted."""
    ranked = sorted(range(len(supports)), key=lambda place: -supports[place].probability)
    checked = []
    for place in ranked:
        own, span = passages[place], supports[place]
        evidence = own.text[span.start : span.end]
        checked.append((place, failed_checks(claim, evidence, f"{own.heading} {own.text}")))
    place, failed = next((pair for pair in checked if not pair[1]), checked[0])
    against = max((support.contradiction or 0.0) for support in supports)
    return place, supports[place], failed, against > supports[place].probability


def _verdict(
    item: Statement,
    parts: Sequence[tuple[int, Support, list[str], bool]],
    passages: Sequence[Passage],
    threshold: float,
) -> Statement:
    """The statement with what the critic and the checks found of its sentences."""
    if not parts:
        return {**item, "probability": 0.0, "verdict": "unsupported", "citations": []}
    probability = min(support.probability for _, support, _, _ in parts)
    failed = [name for _, _, names, _ in parts for name in names]
    contradicted = any(against for *_, against in parts)
    supported = probability >= threshold and not failed and not contradicted
    first = parts[0][0]
    spans = [support for place, support, _, _ in parts if place == first]
    return {
        **item,
        "probability": round(probability, 4),
        "verdict": "supported" if supported else "contradicted" if contradicted else "unsupported",
        "citations": list(dict.fromkeys(passages[place].id for place, *_ in parts))
        if supported
        else [],
        "evidence": {
            "document": passages[first].id,
            "start": min(span.start for span in spans),
            "end": max(span.end for span in spans),
        }
        if supported
        else None,
        "failed_checks": failed,
    }
