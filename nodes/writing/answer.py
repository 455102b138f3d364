"""Compose the answer, whose structure is the same everywhere."""

from collections.abc import Sequence
from math import prod

from anamnesis.corpus.passage import Passage
from anamnesis.models.reader import OwnReader
from nodes.checking.answered import answered, overall, unsure, verdict, weighed
from nodes.checking.assumed import premise_checked
from nodes.checking.other_sources import Disputed, other_source
from nodes.checking.published import as_drafted
from nodes.context import Context
from nodes.cost.usage import usage
from nodes.evidence.safety import all_safe, safe
from nodes.parts import EXTRACTIVE, Parts
from nodes.question.several import counted_rounds, problems, shared, unanswered
from nodes.state import (
    Answer,
    Chooser,
    Draft,
    Outcome,
    Part,
    Premise,
    Source,
    State,
    Statement,
    Update,
)
from nodes.writing.advice import advice
from nodes.writing.alternatives import other_answers
from nodes.writing.citing import cite, placed, shown_as
from nodes.writing.notes import note_on, notes
from nodes.writing.reading_list import clarify, nearest
from nodes.writing.render import DRAFTED, NEAREST, UNSURE, render
from nodes.writing.streamed import problem_of, streams
from nodes.writing.verdicts import confirmed
from nodes.writing.weighing import weighing
from nodes.writing.withheld import withheld

_UNCHECKED = {"nearest": NEAREST, "draft": DRAFTED}


def compose(
    state: State,
    context: Context,
    parts: Parts,
    outcome: Outcome,
    statements: Sequence[Statement],
    unconfirmed: Sequence[Statement],
    extra: Sequence[Passage] = (),
) -> Answer:
    """The answer, built from the statements to show.

    ``extra`` are cited passages that are not in the index: pages on first aid, or the user's words.

    Passage ids become source ids (records), and evidence spans become offsets in the source's text.
    Only passages that the index or ``extra`` has become sources, so a citation of any other is
    dropped.
    """
    premise = _reported(premise_checked(state, context, parts)) if outcome != "urgent" else None
    against = premise["evidence"] if premise else None
    denied = [against["document"]] if against else []
    passages, sources, offsets = _sources(statements, denied, extra, context, parts)
    if premise:
        premise = {**premise, "evidence": placed(against, offsets)}
    weigh = weighing(context)
    shown = [shown_as(item, passages, offsets, weigh) for item in statements]
    draft = state["draft"]
    silent = outcome == "abstained"
    near, disputed = _near(state, statements, silent, context, parts)
    # In a possible emergency no related pages are listed, because they could delay the call.
    lists = silent and not state["urgency"].get("possible")
    found, problem, quoted = _parts(state, statements, near, disputed, context, parts)
    relevance = overall(found, statements, weighed(state))
    judged = state["rounds"] or (premise and premise["verdict"] != "unchecked")
    critic = parts.critic(context) if judged else None
    for number, part in enumerate(found, 1):
        mine = [item for item in statements if item.get("part") == number]
        asked = state["asks"][number - 1]["query"]
        part["verdict"] = confirmed(part["verdict"], asked, mine, critic)
    chosen, chosen_by = _chosen(state, statements, context)
    unchecked = _UNCHECKED.get(chosen_by or "")
    if chosen and not (critic or unchecked):
        chosen_by = "draft"
    sure = 0.0 if unchecked else draft["chosen"] if chosen else None
    entails = critic is not None and critic.method == "entailment"

    answer: Answer = {
        "outcome": outcome,
        "reason": state["reason"],
        "question": state["asked"],
        "query": state["asked"] if state["reason"] == "nothing_asked" else state["queries"][0],
        "text": "",
        "options": state["choices"],
        "choice": chosen,
        "chosen_by": chosen_by,
        "quoted_instead": bool(problem) and outcome != "urgent",
        "verdict": None
        if state["choices"] or found
        else confirmed(
            verdict(statements, weighed(state)), state["queries"][0], statements, critic
        ),
        "statements": shown,
        "parts": found,
        "nearest": nearest(state["read"], near, disputed) if lists else [],
        "alternatives": other_answers(state, sources, context, parts, disputed) if shown else [],
        "clarify": clarify(state["read"], near) if lists else None,
        "advice": advice(state["asked"], state["urgency"], outcome, state["reason"], context),
        "urgency": state["urgency"]["level"],
        "unconfirmed": [item["text"] for item in unconfirmed],
        "withheld": withheld(unconfirmed, _searched(state, unconfirmed, context, parts), disputed),
        "notes": []
        if outcome == "urgent"
        else notes(
            state,
            context,
            statements,
            sources,
            premise,
            problem,
            unchecked,
            unsure=quoted and not found and unsure(relevance),
        ),
        "premise": premise,
        "sources": sources,
        "memories": [
            entry
            for entry in state["recalled"]
            if entry["id"] in draft["prompt"].get("memories", [])
        ],
        "rounds": len(state["rounds"]),
        "confidence": {
            "support": confidence(statements, sure) if entails else None,
            "relevance": relevance,
        },
        "generator": EXTRACTIVE if problem else parts.generator_name(context),
        "critic": critic.name if critic else None,
        "timings": {},
        "usage": usage({}),
    }
    answer["text"] = render(answer, state["urgency"], context.triage.country)
    return answer


def confirmed_answer(
    state: State,
    context: Context,
    parts: Parts,
    stated: Sequence[Statement],
    unsupported: Sequence[Statement],
) -> Update:
    """The answer with the statements of a confirmed draft, and the reason of its outcome."""
    missing, drafted = unanswered(state, stated), state["draft"]
    made: Draft = {**drafted, "problems": problems(counted_rounds(state))}
    if streams(state, context):
        made["problem"] = problem_of(state["rounds"], drafted["problem"])
    reason = state["reason"]
    if missing and reason == "supported":
        reason = "part_unanswered"
    after: State = {**state, "reason": reason, "draft": made}
    outcome: Outcome = "partial" if unsupported or missing else "answered"
    return {
        "reason": reason,
        "answer": compose(after, context, parts, outcome, stated, unsupported),
    }


def _near(
    state: State, statements: Sequence[Statement], silent: bool, context: Context, parts: Parts
) -> tuple[dict[str, Passage], Disputed]:
    """The passages that were read for unanswered questions, and the test for disputed sentences.

    A disputed sentence, which another source contradicts, is not shown.
    """
    missing = unanswered(state, statements)
    read = [item["id"] for item in state["read"] if silent or item.get("part") in missing]
    near = {item.id: item for item in all_safe(list(_passages(read, context, parts).values()))}

    def disputed(sentence: str, passage: Passage) -> bool:
        question = state["queries"][0]
        return other_source(sentence, [passage.id], parts.index(context), question) is not None

    return near, disputed


def _parts(
    state: State,
    statements: Sequence[Statement],
    near: dict[str, Passage],
    disputed: Disputed,
    context: Context,
    parts: Parts,
) -> tuple[list[Part], str | None, bool]:
    """The answer to each of several questions, the problem of the whole draft, and whether the
    project's reader chose the quotations.
    """
    problem = state["draft"]["problem"]
    # A problem with the draft for one of several questions is reported only for that question.
    problems = state["draft"].get("problems", {})
    if problems:
        problem = shared(problems, {item.get("part", 0) for item in statements})
    noted = {} if problem else {number: note_on(item) for number, item in problems.items()}
    quoted = bool(
        state["selected"]  # otherwise the reader may not be loaded
        and not state["choices"]
        and (problem or parts.chat(context) is None)
        and isinstance(parts.reader(context), OwnReader)
    )
    doubt = UNSURE if quoted else None
    return answered(state, statements, near, disputed, noted, doubt), problem, quoted


def _searched(
    state: State, unconfirmed: Sequence[Statement], context: Context, parts: Parts
) -> list[Passage]:
    """The passages of all rounds if a statement is withheld; otherwise none."""
    if not unconfirmed:
        return []
    ids = list(dict.fromkeys(key for item in state["rounds"] for key in item["passages"]))
    return list(_passages(ids, context, parts).values())


def _sources(
    statements: Sequence[Statement],
    denied: Sequence[str],
    extra: Sequence[Passage],
    context: Context,
    parts: Parts,
) -> tuple[dict[str, Passage], list[Source], dict[str, tuple[str, int]]]:
    """The cited passages by id, their sources, and the offset of each passage in its source.

    ``denied`` are ids of passages that contradict the premise.
    """
    cited = list(dict.fromkeys([*(c for item in statements for c in _documents(item)), *denied]))
    own = {passage.id: passage for passage in extra}
    others = [key for key in cited if key not in own]
    indexed = _passages(others, context, parts)
    # Unsafe text is replaced by blanks in sources too, so that the offsets stay valid.
    passages = own | {key: safe(one) for key, one in indexed.items()}
    sources, offsets = cite(list(passages.values()))
    # Pages that come with the program need no index.
    ids = [item["id"] for item in sources if others]
    known = parts.index(context).provenance(ids) if ids else {}
    return passages, [{**item, "provenance": known.get(item["id"])} for item in sources], offsets


def _chosen(
    state: State, statements: Sequence[Statement], context: Context
) -> tuple[str | None, Chooser | None]:
    """The option that the last round chose, and how; None without a round or a statement."""
    verified = state["rounds"] if state["choices"] and statements else []
    chosen = verified[-1]["choice"] if verified else None
    if not chosen:
        return chosen, None
    if state["draft"]["chosen"] == 0:
        return chosen, "nearest"
    if state["draft"]["chosen"] is None and as_drafted(state["choices"], context):
        return chosen, "draft"
    return chosen, "sources"


def _passages(ids: Sequence[str], context: Context, parts: Parts) -> dict[str, Passage]:
    """The passages of the index by id."""
    return {item.id: item for item in parts.passages(ids, context)}


def _reported(premise: Premise | None) -> Premise | None:
    """The premise to report; None if it is only a possible one and nothing contradicts it."""
    if premise is None:
        return None
    # A state that an earlier version stored lacks both keys.
    whole: Premise = {"plain": True, "evidence": None, **premise}
    return whole if whole["plain"] or whole["evidence"] else None


def _documents(item: Statement) -> list[str]:
    """The passages that a statement cites, and the one that contradicts it."""
    return [*item["citations"], *([item["conflict"]["document"]] if item["conflict"] else [])]


def confidence(statements: Sequence[Statement], chosen: float | None = None) -> float | None:
    """The probability that all statements, and the choice, are supported by their sources.

    The product of the critic's calibrated probabilities, which assumes independent errors. None if
    nothing is stated or nothing was checked.
    """
    found = [item["probability"] for item in statements]
    known = [entry for entry in [*found, chosen] if entry is not None]
    return round(prod(known), 4) if found and None not in found else None
