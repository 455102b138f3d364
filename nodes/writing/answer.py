"""Compose the answer (``nodes.state.Answer``) from the state and the statements to show."""

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
)
from nodes.checking.other_sources import Disputed, other_source
from nodes.checking.published import as_drafted
from nodes.context import Context
from nodes.cost.usage import usage
from nodes.evidence.safety import all_safe
from nodes.parts import EXTRACTIVE, Parts
from nodes.question.several import (
    common_problem,
    counted_rounds,
    problems_by_question,
    question_states,
    unanswered,
)
from nodes.remembering.recalled import Memory
from nodes.state import (
    Answer,
    Chooser,
    Draft,
    Outcome,
    Part,
    Premise,
    State,
    Statement,
    Update,
    YesNo,
)
from nodes.writing.advice import advice
from nodes.writing.alternatives import other_answers
from nodes.writing.citing import cited_answer
from nodes.writing.notes import note_on, notes
from nodes.writing.reading_list import clarify, nearest
from nodes.writing.render import DRAFTED, NEAREST, UNSURE
from nodes.writing.streamed import problem_of, streams_statements
from nodes.writing.verdicts import answer_verdict, left_open
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
    """The answer, built from the statements to show and the ``unconfirmed`` ones, not shown.

    ``extra`` are cited passages that are not in the index: pages on first aid, or the user's words.

    Passage ids become source ids (records), and evidence spans become offsets in the source's text.
    Only passages that are in the index or in ``extra`` become sources; a citation of any other is
    dropped.
    """
    cited = cited_answer(state, statements, extra, outcome, context, parts)
    premise, question = cited.premise, state["queries"][0]
    abstained = outcome == "abstained"
    # In a possible emergency no related pages are listed, because they could delay the call.
    lists_pages = abstained and not state["urgency"].get("possible")
    near = _near_passages(state, statements, abstained, context, parts)
    disputed = _dispute_test(state, context, parts)
    problem = _draft_problem(state, statements)
    quoted = _reader_quotes(state, problem, context, parts)
    critic = _critic_used(state, premise, context, parts)
    results = _results(state, statements, near, disputed, problem, quoted, critic)
    relevance = answer_relevance(results, statements, citable_passages(state))
    unsure = quoted and not results and may_miss_question(relevance)
    choice, chosen_by, unchecked = _choice(state, statements, critic, context)
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
        "verdict": None if state["choices"] or results else _verdict(state, statements, critic),
        "statements": cited.statements,
        "parts": results,
        "nearest": nearest(state["read"], near, disputed) if lists_pages else [],
        "alternatives": other_answers(state, cited.sources, context, parts, disputed)
        if statements
        else [],
        "clarify": clarify(state["read"], near) if lists_pages else None,
        "advice": advice(state["asked"], state["urgency"], outcome, state["reason"], context),
        "urgency": state["urgency"]["level"],
        "unconfirmed": [item["text"] for item in unconfirmed],
        "withheld": withheld(
            unconfirmed, _passages_of_rounds(state, unconfirmed, context, parts), disputed
        ),
        "notes": []
        if outcome == "urgent"
        else notes(
            state, context, statements, cited.sources, premise, problem, unchecked, unsure=unsure
        ),
        "premise": premise,
        "sources": cited.sources,
        "memories": _shown_memories(state),
        "rounds": len(state["rounds"]),
        "confidence": {
            "support": _support(state, statements, choice, unchecked, critic),
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
    """The answer after the last round, and the reason for its outcome.

    ``stated`` are the statements to show, ``unsupported`` those of the same drafts that are not.
    """
    missing, drafted = unanswered(state, stated), state["draft"]
    draft: Draft = {**drafted, "problems": problems_by_question(counted_rounds(state))}
    if streams_statements(state, context):
        draft["problem"] = problem_of(state["rounds"], drafted["problem"])
    reason = state["reason"]
    if missing and reason == "supported":
        reason = "part_unanswered"
    after: State = {**state, "reason": reason, "draft": draft}
    outcome: Outcome = "partial" if unsupported or missing else "answered"
    return {
        "reason": reason,
        "answer": compose(after, context, parts, outcome, stated, unsupported),
    }


def _near_passages(
    state: State, statements: Sequence[Statement], abstained: bool, context: Context, parts: Parts
) -> dict[str, Passage]:
    """The passages that were read for questions without an answer, by id: pages to suggest."""
    missing = unanswered(state, statements)
    read = [item["id"] for item in state["read"] if abstained or item.get("part") in missing]
    passages = parts.passages(list(dict.fromkeys(read)), context)
    return {item.id: item for item in all_safe(passages)}


def _dispute_test(state: State, context: Context, parts: Parts) -> Disputed:
    """The test for sentences that are not shown, because another source contradicts them."""

    def disputed(sentence: str, passage: Passage) -> bool:
        question = state["queries"][0]
        return other_source(sentence, [passage.id], parts.index(context), question) is not None

    return disputed


def _draft_problem(state: State, statements: Sequence[Statement]) -> str | None:
    """What is wrong with the whole draft of a chat model, if anything.

    A problem with the draft for one of several questions is reported only for that question.
    """
    if problems := state["draft"].get("problems", {}):
        return common_problem(problems, {item.get("part", 0) for item in statements})
    return state["draft"]["problem"]


def _reader_quotes(state: State, problem: str | None, context: Context, parts: Parts) -> bool:
    """Whether the statements are quotations that the project's reader chose."""
    return bool(
        state["selected"]  # otherwise the reader may not be loaded
        and not state["choices"]
        and (problem or parts.chat(context) is None)
        and isinstance(parts.reader(context), OwnReader)
    )


def _critic_used(
    state: State, premise: Premise | None, context: Context, parts: Parts
) -> Critic | None:
    """The critic, if there was a round or the premise was checked; otherwise None."""
    judged = state["rounds"] or (premise and premise["verdict"] != "unchecked")
    return parts.critic(context) if judged else None


def _results(
    state: State,
    statements: Sequence[Statement],
    near: dict[str, Passage],
    disputed: Disputed,
    problem: str | None,
    quoted: bool,
    critic: Critic | None,
) -> list[Part]:
    """The result for each of several questions; empty if there is only one."""
    problems = {} if problem else state["draft"].get("problems", {})
    noted = {number: note_on(item) for number, item in problems.items()}
    results = question_results(state, statements, near, disputed, noted, UNSURE if quoted else None)
    views = (view for number, view in question_states(state) if number)
    for number, (part, view) in enumerate(zip(results, views, strict=False), 1):
        own = [item for item in statements if item.get("part") == number]
        if own:
            part["verdict"] = _verdict(view, own, critic)
    return results


def _verdict(state: State, statements: Sequence[Statement], critic: Critic | None) -> YesNo | None:
    """The sources' answer to a yes/no question.

    It is ``not_said`` if nothing that was found is relevant enough to be stated.
    """
    if not statements:
        silent = state["reason"] in ("weak_evidence", "not_found")
        return "not_said" if silent and left_open(state["read"]) else None
    question = state["queries"][0]
    return answer_verdict(citable_passages(state), question, statements, critic)


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


def _support(
    state: State,
    statements: Sequence[Statement],
    choice: str | None,
    unchecked: str | None,
    critic: Critic | None,
) -> float | None:
    """The confidence in the statements and the choice; None without an entailment model.

    It is 0 if the choice is ``unchecked``.
    """
    if critic is None or critic.method != "entailment":
        return None
    chosen = state["draft"]["chosen"] if choice else None
    return confidence(statements, 0.0 if unchecked else chosen)


def confidence(statements: Sequence[Statement], chosen: float | None = None) -> float | None:
    """The probability that all statements, and the choice, are supported by their sources.

    It is the product of the critic's calibrated probabilities, which assumes independent errors.
    ``chosen`` is the probability of the chosen option, if there is one. None if nothing is stated
    or a statement was not checked.
    """
    stated = [item["probability"] for item in statements]
    known = [entry for entry in [*stated, chosen] if entry is not None]
    return round(prod(known), 4) if stated and None not in stated else None
