"""Compose the answer, whose structure is the same everywhere."""

from collections.abc import Sequence
from math import prod

from anamnesis.corpus.passage import Passage
from anamnesis.models.critic import Critic
from anamnesis.models.reader import OwnReader
from nodes.checking.answered import (
    answer_relevance,
    citable_passages,
    may_miss_question,
    question_results,
    verdict,
)
from nodes.checking.other_sources import Disputed, other_source
from nodes.checking.published import as_drafted
from nodes.context import Context
from nodes.cost.usage import usage
from nodes.evidence.safety import all_safe
from nodes.parts import EXTRACTIVE, Parts
from nodes.question.several import common_problem, counted_rounds, problems_by_question, unanswered
from nodes.remembering.recalled import Memory
from nodes.state import (
    Answer,
    Chooser,
    Draft,
    Outcome,
    Part,
    State,
    Statement,
    Update,
)
from nodes.writing.advice import advice
from nodes.writing.alternatives import other_answers
from nodes.writing.citing import cited_answer
from nodes.writing.notes import note_on, notes
from nodes.writing.reading_list import clarify, nearest
from nodes.writing.render import DRAFTED, NEAREST, UNSURE
from nodes.writing.streamed import problem_of, streams
from nodes.writing.verdicts import confirmed_verdict
from nodes.writing.withheld import withheld


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
    cited = cited_answer(state, statements, extra, outcome, context, parts)
    silent = outcome == "abstained"
    near, disputed = _passages_and_disputes(state, statements, silent, context, parts)
    # In a possible emergency no related pages are listed, because they could delay the call.
    lists = silent and not state["urgency"].get("possible")
    problem, quoted = _draft_problem(state, statements, context, parts)
    known, question = citable_passages(state), state["queries"][0]
    premise = cited.premise
    judged = state["rounds"] or (premise and premise["verdict"] != "unchecked")
    critic = parts.critic(context) if judged else None
    found = _parts(state, statements, near, disputed, problem, quoted, critic)
    relevance = answer_relevance(found, statements, known)
    choice, chosen_by, unchecked = _choice(state, statements, critic, context)
    sure = 0.0 if unchecked else state["draft"]["chosen"] if choice else None
    doubted = quoted and not found and may_miss_question(relevance)
    word = None if state["choices"] or found else verdict(statements, known)
    entails = critic is not None and critic.method == "entailment"
    return {
        "outcome": outcome,
        "reason": state["reason"],
        "question": state["asked"],
        "query": state["asked"] if state["reason"] == "nothing_asked" else question,
        "text": "",  # rendered by ``remember``, with the warnings that it adds
        "options": state["choices"],
        "choice": choice,
        "chosen_by": chosen_by,
        "quoted_instead": bool(problem) and outcome != "urgent",
        "verdict": confirmed_verdict(word, question, statements, critic),
        "statements": cited.statements,
        "parts": found,
        "nearest": nearest(state["read"], near, disputed) if lists else [],
        "alternatives": other_answers(state, cited.sources, context, parts, disputed)
        if statements
        else [],
        "clarify": clarify(state["read"], near) if lists else None,
        "advice": advice(state["asked"], state["urgency"], outcome, state["reason"], context),
        "urgency": state["urgency"]["level"],
        "unconfirmed": [item["text"] for item in unconfirmed],
        "withheld": withheld(
            unconfirmed, _passages_of_rounds(state, unconfirmed, context, parts), disputed
        ),
        "notes": []
        if outcome == "urgent"
        else notes(
            state, context, statements, cited.sources, premise, problem, unchecked, unsure=doubted
        ),
        "premise": premise,
        "sources": cited.sources,
        "memories": _shown_memories(state),
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


def confirmed_answer(
    state: State,
    context: Context,
    parts: Parts,
    stated: Sequence[Statement],
    unsupported: Sequence[Statement],
) -> Update:
    """The answer with the statements of a confirmed draft, and the reason of its outcome."""
    missing, drafted = unanswered(state, stated), state["draft"]
    made: Draft = {**drafted, "problems": problems_by_question(counted_rounds(state))}
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


def _passages_and_disputes(
    state: State, statements: Sequence[Statement], silent: bool, context: Context, parts: Parts
) -> tuple[dict[str, Passage], Disputed]:
    """The passages that were read for unanswered questions, and the test for disputed sentences.

    A disputed sentence, which another source contradicts, is not shown.
    """
    missing = unanswered(state, statements)
    read = [item["id"] for item in state["read"] if silent or item.get("part") in missing]
    passages = parts.passages(list(dict.fromkeys(read)), context)
    near = {item.id: item for item in all_safe(passages)}

    def disputed(sentence: str, passage: Passage) -> bool:
        question = state["queries"][0]
        return other_source(sentence, [passage.id], parts.index(context), question) is not None

    return near, disputed


def _draft_problem(
    state: State, statements: Sequence[Statement], context: Context, parts: Parts
) -> tuple[str | None, bool]:
    """What is wrong with the whole draft, and whether the project's reader chose what is quoted.

    A problem with the draft for one of several questions is reported only for that question.
    """
    problem = state["draft"]["problem"]
    if problems := state["draft"].get("problems", {}):
        problem = common_problem(problems, {item.get("part", 0) for item in statements})
    quoted = bool(
        state["selected"]  # otherwise the reader may not be loaded
        and not state["choices"]
        and (problem or parts.chat(context) is None)
        and isinstance(parts.reader(context), OwnReader)
    )
    return problem, quoted


def _parts(
    state: State,
    statements: Sequence[Statement],
    near: dict[str, Passage],
    disputed: Disputed,
    problem: str | None,
    quoted: bool,
    critic: Critic | None,
) -> list[Part]:
    """How each of several questions was answered."""
    problems = {} if problem else state["draft"].get("problems", {})
    noted = {number: note_on(item) for number, item in problems.items()}
    found = question_results(state, statements, near, disputed, noted, UNSURE if quoted else None)
    for number, part in enumerate(found, 1):
        own = [item for item in statements if item.get("part") == number]
        query = state["asks"][number - 1]["query"]
        part["verdict"] = confirmed_verdict(part["verdict"], query, own, critic)
    return found


def _passages_of_rounds(
    state: State, unconfirmed: Sequence[Statement], context: Context, parts: Parts
) -> list[Passage]:
    """The passages of all rounds if a statement is withheld; otherwise none."""
    if not unconfirmed:
        return []
    ids = list(dict.fromkeys(key for item in state["rounds"] for key in item["passages"]))
    return parts.passages(ids, context)


def _choice(
    state: State, statements: Sequence[Statement], critic: Critic | None, context: Context
) -> tuple[str | None, Chooser | None, str | None]:
    """The option of the last round, what chose it, and a note if it was not checked.

    Without a round nothing is confirmed.
    """
    verified = state["rounds"] if state["choices"] and statements else []
    choice = verified[-1]["choice"] if verified else None
    if not choice:
        return choice, None, None
    if state["draft"]["chosen"] == 0:
        return choice, "nearest", NEAREST
    if state["draft"]["chosen"] is None and as_drafted(state["choices"], context):
        return choice, "draft", DRAFTED
    return choice, "sources" if critic else "draft", None


def _shown_memories(state: State) -> list[Memory]:
    """The memories that the generator was given."""
    given = state["draft"]["prompt"].get("memories", [])
    return [entry for entry in state["recalled"] if entry["id"] in given]


def confidence(statements: Sequence[Statement], chosen: float | None = None) -> float | None:
    """The probability that all statements, and the choice, are supported by their sources.

    The product of the critic's calibrated probabilities, which assumes independent errors. None if
    nothing is stated or nothing was checked.
    """
    found = [item["probability"] for item in statements]
    known = [entry for entry in [*found, chosen] if entry is not None]
    return round(prod(known), 4) if found and None not in found else None
