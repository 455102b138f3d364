"""Compose the answer (``nodes.state.Answer``) from the state and the statements to show."""

from collections.abc import Sequence

from anamnesis.corpus.passage import Passage
from nodes.checking.other_sources import Disputed, dispute_test
from nodes.checking.subject import dose_not_asked
from nodes.evidence.safety import all_safe
from nodes.fields.passages import Near
from nodes.fields.usage import usage
from nodes.parts import EXTRACTIVE, Parts
from nodes.question.several import problems_by_question, rounds_for_answer, unanswered
from nodes.settings.context import Context
from nodes.state import Answer, Draft, Outcome, State, Statement, Update
from nodes.writing.advice import advice
from nodes.writing.alternatives import other_answers
from nodes.writing.assessment import Assessment, assess
from nodes.writing.citing import CitedAnswer, cited_answer
from nodes.writing.notes import AnswerNote, notes
from nodes.writing.reading_list import nearest_pages, topics_to_clarify
from nodes.writing.streamed import Send, SupportedStatements, problem_of, streams_statements
from nodes.writing.withheld import withheld


def compose(
    state: State,
    context: Context,
    parts: Parts,
    outcome: Outcome,
    statements: Sequence[Statement],
    unconfirmed: Sequence[Statement],
    extra: Sequence[Passage] = (),
) -> Update:
    """The answer, from the statements to show and the ``unconfirmed`` ones, with the cited ids.

    ``extra`` are cited passages that are not in the index: pages on first aid, or the user's words.
    Passage ids become source ids (records), and evidence spans become offsets in the source's text.
    Citations of passages that are neither in the index nor in ``extra`` are dropped.
    """
    cited = cited_answer(state, statements, extra, outcome, context, parts)
    premise, question = cited.premise, state["queries"][0]
    near = _near_passages(state, statements, outcome == "abstained", context, parts)
    disputed = dispute_test(question, context, parts)
    found = assess(state, statements, premise, near, disputed, context, parts)
    pages, topics = _pages_to_read(state, outcome, near, disputed)
    answer_notes = _notes(state, outcome, statements, cited, found, context)
    others = (
        other_answers(state, statements, cited.sources, context, parts, disputed)
        if statements
        else []
    )
    in_prompt = state["draft"]["prompt"].get("memories", [])
    rounds = state["rounds"] if unconfirmed else []
    all_read = list(dict.fromkeys(key for item in rounds for key in item["passages"]))
    answer: Answer = {
        "outcome": outcome,
        "reason": state["reason"],
        "question": state["original_question"],
        "query": state["original_question"] if state["reason"] == "nothing_asked" else question,
        "text": "",  # rendered by ``remember``, with the warnings that it adds
        "options": state["keyed_options"],
        "choice": found.choice,
        "chosen_by": found.chosen_by,
        "quoted_instead": bool(found.problem) and outcome != "urgent",
        "verdict": found.verdict,
        "statements": cited.statements,
        "parts": found.results,
        "nearest": pages,
        "alternatives": others,
        "clarify": topics,
        "advice": advice(
            state["original_question"], outcome, state["reason"], state["urgency"], context
        ),
        "urgency": state["urgency"]["level"],
        "unconfirmed": [item["text"] for item in unconfirmed],
        "withheld": withheld(unconfirmed, parts.passages(all_read, context), disputed),
        "notes": [item.text for item in answer_notes],
        "note_codes": [item.code for item in answer_notes],
        "premise": premise,
        "sources": cited.sources,
        "memories": [item for item in state["recalled"] if item["id"] in in_prompt],
        "rounds": len(state["rounds"]),
        "confidence": found.confidence,
        "generator": EXTRACTIVE if found.problem else parts.generator_name(context),
        "critic": found.critic.name if found.critic else None,
        "timings": {},
        "usage": usage({}),
    }
    return {"answer": answer, "cited": cited.passages}


def confirmed_answer(
    state: State,
    context: Context,
    parts: Parts,
    shown: Sequence[Statement],
    unsupported: Sequence[Statement],
    send: Send,
) -> Update:
    """The answer after the last round, and the reason for its outcome.

    ``shown`` are the statements of the last round that may be shown, ``unsupported`` those that may
    not. If statements were streamed, those of all rounds are shown. If the settings ask for it, but
    they could not be streamed before, ``send`` gets each supported one.
    """
    streamed, stated = streams_statements(state, context), shown
    if streamed and parts.critic(context):
        stated = SupportedStatements(state["rounds"]).in_order()
    missing, drafted = unanswered(state, stated), state["draft"]
    draft: Draft = {**drafted, "problems": problems_by_question(rounds_for_answer(state))}
    if streamed:
        draft["problem"] = problem_of(state["rounds"], drafted["problem"])
    reason = state["reason"]
    if missing and reason == "supported":
        reason = "part_unanswered"
    after: State = {**state, "reason": reason, "draft": draft}
    outcome: Outcome = "partial" if unsupported or missing else "answered"
    composed = compose(after, context, parts, outcome, stated, unsupported)
    if context.generator.stream_statements and not streamed:
        for item in stated:
            if item["verdict"] == "supported":
                send(item)
    return {"reason": reason, **composed}


def _near_passages(
    state: State, statements: Sequence[Statement], abstained: bool, context: Context, parts: Parts
) -> dict[str, Passage]:
    """The passages that were read for questions without an answer, by id: pages to suggest."""
    missing = unanswered(state, statements)
    read = [item["id"] for item in state["read"] if abstained or item.get("part") in missing]
    passages = parts.passages(list(dict.fromkeys(read)), context)
    return {item.id: item for item in all_safe(passages) if not dose_not_asked(state, item)}


def _pages_to_read(
    state: State, outcome: Outcome, near: dict[str, Passage], disputed: Disputed
) -> tuple[list[Near], list[str]]:
    """Pages to read, and topics for the user to choose from, if nothing is stated."""
    # In a possible emergency no related pages are listed, because they could delay the call.
    if outcome != "abstained" or state["urgency"].get("possible"):
        return [], []
    topics = topics_to_clarify(state["read"], near, state["queries"][0])
    return nearest_pages(state["read"], near, disputed), topics


def _notes(
    state: State,
    outcome: Outcome,
    statements: Sequence[Statement],
    cited: CitedAnswer,
    found: Assessment,
    context: Context,
) -> list[AnswerNote]:
    """The notes; none in an emergency, where only the call counts."""
    if outcome == "urgent":
        return []
    return notes(
        state,
        context,
        statements,
        cited.sources,
        cited.premise,
        found.problem,
        found.unchecked,
        unsure=found.unsure,
    )
