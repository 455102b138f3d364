"""Compose the one answer structure."""

from collections.abc import Sequence
from math import prod

from anamnesis.corpus.passage import Passage
from nodes.checking.answered import answered, overall, verdict, weighed
from nodes.checking.assumed import premise_checked
from nodes.checking.other_sources import other_source
from nodes.checking.published import as_drafted
from nodes.context import Context
from nodes.cost.usage import usage
from nodes.evidence.safety import all_safe, safe
from nodes.parts import EXTRACTIVE, Parts
from nodes.question.person import not_spoken_of
from nodes.question.several import shared, unanswered
from nodes.question.siblings import left_open
from nodes.state import (
    Answer,
    Chooser,
    Evidence,
    Outcome,
    Premise,
    Source,
    State,
    Statement,
)
from nodes.writing.advice import advice
from nodes.writing.alternatives import other_answers
from nodes.writing.citing import cite, placed, shown_as
from nodes.writing.reading_list import clarify, nearest
from nodes.writing.render import (
    DRAFTED,
    NEAREST,
    QUOTED_USER,
    SILENT,
    UNUSED,
    WITHHELD,
    crisis_text,
    render,
)
from nodes.writing.weighing import weighing
from nodes.writing.withheld import withheld
from retrievers.aliases import Renamed
from retrievers.spelling import Respelt

LABEL = "If it is a product, check on its label what it contains."
"""What follows the last note on a name: products of one name differ."""

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
    """The answer from the statements to be shown.

    ``extra`` are cited passages that are not in the index: the pages on first aid.

    Passage ids become source ids (records) and evidence spans become offsets in the source's text.
    A citation of a passage that does not exist is dropped, because sources are made only from
    passages that the index returns.
    """
    premise = _told(premise_checked(state, context, parts)) if outcome != "urgent" else None
    against = premise["evidence"] if premise else None
    denied = [against["document"]] if against else []
    cited = list(dict.fromkeys([*(c for own in statements for c in _documents(own)), *denied]))
    own = {passage.id: passage for passage in extra}
    others = [key for key in cited if key not in own]
    indexed = _passages(others, context, parts)
    # Text that may not be quoted is blanked in sources too, so that offsets stay valid.
    passages = own | {key: safe(one) for key, one in indexed.items()}
    sources, offsets = cite(list(passages.values()))
    # Pages that come with the program need no index.
    ids = [own["id"] for own in sources if others]
    known = parts.index(context).provenance(ids) if ids else {}
    sources = [{**own, "provenance": known.get(own["id"])} for own in sources]
    if premise:
        premise = {**premise, "evidence": placed(against, offsets)}
    weigh = weighing(context)
    shown = [shown_as(item, passages, offsets, weigh) for item in statements]
    draft = state["draft"]
    silent, missing = outcome == "abstained", unanswered(state, statements)
    read = [own["id"] for own in state["read"] if silent or own.get("part") in missing]
    near = {own.id: own for own in all_safe(list(_passages(read, context, parts).values()))}

    def alone(sentence: str, own: Passage) -> bool:
        question = state["queries"][0]
        return other_source(sentence, [own.id], parts.index(context), question) is not None

    # A problem with the draft for one of several questions is reported only for that question.
    problems = draft.get("problems", {})
    problem = draft["problem"]
    if problems:
        problem = shared(problems, {own.get("part", 0) for own in statements})
    told = {} if problem else {number: note_on(own) for number, own in problems.items()}
    found = answered(state, statements, near, alone, told)
    judged = state["rounds"] or (premise and premise["verdict"] != "unchecked")
    critic = parts.critic(context) if judged else None
    # Without a round nothing was verified, so nothing is confirmed.
    verified = state["rounds"] if state["choices"] and statements else []
    chosen = verified[-1]["choice"] if verified else None
    used = {key: 0 for own in state["rounds"] for key in own["passages"]} if unconfirmed else {}
    chosen_by: Chooser | None = "sources" if chosen else None
    if chosen and draft["chosen"] == 0:
        chosen_by = "nearest"
    elif chosen and draft["chosen"] is None and as_drafted(state["choices"], context):
        chosen_by = "draft"
    unchecked = _UNCHECKED.get(chosen_by or "")
    if chosen and not (critic or unchecked):
        chosen_by = "draft"

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
        "verdict": None if state["choices"] or found else verdict(statements, weighed(state)),
        "statements": shown,
        "parts": found,
        "nearest": nearest(state["read"], near, alone) if silent else [],
        "alternatives": other_answers(state, sources, context, parts, alone) if shown else [],
        "clarify": clarify(state["read"], near) if silent else None,
        "advice": advice(state["asked"], state["urgency"], outcome, state["reason"], context),
        "urgency": state["urgency"]["level"],
        "unconfirmed": [item["text"] for item in unconfirmed],
        "withheld": withheld(
            unconfirmed, list(_passages(list(used), context, parts).values()), alone
        ),
        "notes": []
        if outcome == "urgent"
        else [
            *([crisis_text(context.triage.country)] if state["urgency"]["crisis"] else []),
            *respelt(state.get("spelling") or []),
            *named(state.get("naming") or []),
            *_notes(premise, sources, problem, unchecked),
            *([] if not shown else _unspoken(state["queries"][0], sources)),
            *left_open(state, statements),
            *([QUOTED_USER] if state["reason"] == "remembered" else []),
            *(own["note"] for own in state.get("notices") or []),
        ],
        "premise": premise,
        "sources": sources,
        "memories": [
            memory
            for memory in state["recalled"]
            if memory["id"] in draft["prompt"].get("memories", [])
        ],
        "rounds": len(state["rounds"]),
        "confidence": {
            "support": confidence(
                statements, 0.0 if unchecked else draft["chosen"] if chosen else None
            )
            if critic and critic.method == "entailment"
            else None,
            "relevance": overall(found, statements, weighed(state)),
        },
        "generator": EXTRACTIVE if problem else parts.generator_name(context),
        "critic": critic.name if critic else None,
        "timings": {},
        "usage": usage({}),
    }
    answer["text"] = render(answer, state["urgency"], context.triage.country)
    return answer


def _passages(ids: Sequence[str], context: Context, parts: Parts) -> dict[str, Passage]:
    """The passages of the index by id."""
    return {own.id: own for own in parts.passages(ids, context)}


def _told(premise: Premise | None) -> Premise | None:
    """The premise to report; None if it is uncertain that it is one and nothing contradicts it."""
    if premise is None:
        return None
    # A state that was stored by an earlier version has neither key.
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
    told = [own for own in [*found, chosen] if own is not None]
    return round(prod(told), 4) if found and None not in found else None


def respelt(words: Sequence[Respelt]) -> list[str]:
    """A note on words of the question whose spelling was corrected for the search."""
    if not words:
        return []
    searched, written = (
        ", ".join(f"“{word}”" for word in dict.fromkeys(side))
        for side in ([own["searched"] for own in words], [own["written"] for own in words])
    )
    return [f"Searched for {searched}; you wrote {written}."]


def _listed_in(own: Renamed) -> str:
    """The record that lists a name, in parentheses; nothing if it says neither title nor source."""
    said = ", ".join(part for part in (own["title"], own["source"]) if part)
    return f" ({said})" if said else ""


def named(words: Sequence[Renamed]) -> list[str]:
    """Notes on names in the question that the documents list as other names of something."""
    notes = [
        f"“{own['written']}” was read as {own['searched']}, of which the documents list it as "
        f"another name{_listed_in(own)}."
        for own in words
    ]
    return [*notes[:-1], f"{notes[-1]} {LABEL}"] if notes else []


def _notes(
    premise: Premise | None, sources: Sequence[Source], problem: str | None, unchecked: str | None
) -> list[str]:
    """The notes that are shown with the statements."""
    notes = []
    if premise and premise["verdict"] == "contradicted":
        notes.append(
            "The documents searched contradict an assumption in the question: "
            f"“{premise['text']}”{_said(premise['evidence'], sources)}"
        )
    elif premise and premise["verdict"] == "unchecked":
        notes.append(
            "An assumption in the question was not checked against the documents: "
            f"“{premise['text']}”"
        )
    elif premise and premise["verdict"] != "supported":
        notes.append(
            "The documents searched do not confirm an assumption in the question: "
            f"“{premise['text']}”"
        )
    if problem:
        notes.append(note_on(problem))
    return [*notes, unchecked] if unchecked else notes


def note_on(problem: str) -> str:
    """The note for the reader if the documents are quoted in place of a chat model's answer."""
    return problem if problem in (SILENT, WITHHELD) else UNUSED + problem


def _unspoken(question: str, sources: Sequence[Source]) -> list[str]:
    """A note on what the question says about a person, if no shown source mentions it."""
    missing = not_spoken_of(question, [f"{own['title']} {own['text']}" for own in sources])
    if not missing:
        return []
    return [f"The sources shown do not mention {' or '.join(missing)}."]


def _said(place: Evidence | None, sources: Sequence[Source]) -> str:
    """The quoted text of a span and the title of its source, for a note."""
    for source in sources:
        if place and source["id"] == place["document"]:
            quote = " ".join(source["text"][place["start"] : place["end"]].split())
            named = ", ".join(part for part in (source["title"], source["source"]) if part)
            return f" – “{quote}” ({named or source['id']})"
    return ""
