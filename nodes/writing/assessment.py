"""What is known about the statements of an answer together: confidence, choice, and problems."""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from anamnesis.corpus.passage import Passage
from anamnesis.models.critic import Critic
from anamnesis.models.reader import OwnReader
from nodes.checking.answered import answer_relevance, citable_passages, may_miss_question, relevance
from nodes.checking.other_sources import Disputed
from nodes.checking.published import as_drafted
from nodes.fields.codes import Problem
from nodes.parts import Parts
from nodes.question.several import common_problem, question_states
from nodes.settings.context import Context
from nodes.state import Chooser, Confidence, Part, Premise, State, Statement, YesNo
from nodes.writing.notes import Unchecked, note_on
from nodes.writing.reading_list import nearest_pages
from nodes.writing.render import UNSURE
from nodes.writing.verdicts import answer_verdict, left_open


class Assessment(NamedTuple):
    """The assessment of the statements that an answer shows.

    ``problem`` is what is wrong with the draft of a chat model; ``results`` has one entry for each
    of several questions; ``verdict`` is the answer to a single yes/no question without options;
    ``unsure``: it is uncertain whether the statements answer. ``choice`` is the option of the last
    round, ``chosen_by`` what chose it, and ``unchecked`` the code of the note if it was not
    checked.
    """

    problem: Problem | None
    critic: Critic | None
    results: list[Part]
    verdict: YesNo | None
    unsure: bool
    choice: str | None
    chosen_by: Chooser | None
    unchecked: Unchecked | None
    confidence: Confidence


def assess(
    state: State,
    statements: Sequence[Statement],
    premise: Premise | None,
    near: dict[str, Passage],
    disputed: Disputed,
    context: Context,
    parts: Parts,
) -> Assessment:
    """Assess the statements to show.

    ``near`` are the passages that were read for questions without an answer.
    """
    problem = _draft_problem(state, statements)
    quoted = _reader_quotes(state, problem, context, parts)
    judged = state["rounds"] or (premise and premise["verdict"] != "unchecked")
    critic = parts.critic(context) if judged else None
    results = _results(state, statements, near, disputed, problem, quoted, critic)
    relevance = answer_relevance(results, statements, citable_passages(state))
    choice, chosen_by, unchecked = _choice(state, statements, critic, context)
    return Assessment(
        problem=problem,
        critic=critic,
        results=results,
        verdict=None if state["keyed_options"] or results else _verdict(state, statements, critic),
        unsure=quoted and not results and may_miss_question(relevance),
        choice=choice,
        chosen_by=chosen_by,
        unchecked=unchecked,
        confidence={
            "support": _support(state, statements, choice, unchecked, critic),
            "relevance": relevance,
        },
    )


def _draft_problem(state: State, statements: Sequence[Statement]) -> Problem | None:
    """What is wrong with the whole draft of a chat model, if anything.

    A problem with the draft for one of several questions is reported only for that question.
    """
    if problems := state["draft"].get("problems", {}):
        return common_problem(problems, {item.get("part", 0) for item in statements})
    return state["draft"]["problem"]


def _reader_quotes(state: State, problem: Problem | None, context: Context, parts: Parts) -> bool:
    """Whether the statements are quotations that the project's reader chose."""
    return bool(
        state["selected"]  # otherwise the reader may not be loaded
        and not state["keyed_options"]
        and (problem or parts.chat(context) is None)
        and isinstance(parts.reader(context), OwnReader)
    )


def _results(
    state: State,
    statements: Sequence[Statement],
    near: dict[str, Passage],
    disputed: Disputed,
    problem: Problem | None,
    quoted: bool,
    critic: Critic | None,
) -> list[Part]:
    """The result for each of several questions; empty if there is only one.

    ``near`` are the passages that were read for questions without an answer, by id. If other
    sources disagree with one of their sentences (``disputed``), it is not shown. If the reader is
    not sure that a question's quotations (``quoted``) answer it, its note says so, unless it has
    another one.
    """
    problems = {} if problem else state["draft"].get("problems", {})
    notes = {number: note_on(item, state["keyed_options"]) for number, item in problems.items()}
    found: list[Part] = []
    for number, view in question_states(state):
        if not number:
            continue
        of_number = [item for item in statements if item.get("part") == number]
        chance = relevance(of_number, citable_passages(view))
        doubt = UNSURE if quoted and may_miss_question(chance) else None
        found.append(
            {
                "question": state["sub_questions"][number - 1]["question"],
                "answered": bool(of_number),
                "verdict": _verdict(view, of_number, critic) if of_number else None,
                "relevance": chance,
                "nearest": [] if of_number else nearest_pages(view["read"], near, disputed),
                "note": notes.get(str(number), doubt),
            }
        )
    return found


def _verdict(state: State, statements: Sequence[Statement], critic: Critic | None) -> YesNo | None:
    """The sources' answer to a yes/no question.

    It is ``not_found`` if nothing that was found is relevant enough to be stated.
    """
    if not statements:
        silent = state["reason"] in ("weak_evidence", "not_found")
        return "not_found" if silent and left_open(state["read"]) else None
    question = state["queries"][0]
    return answer_verdict(citable_passages(state), question, statements, critic)


def _choice(
    state: State, statements: Sequence[Statement], critic: Critic | None, context: Context
) -> tuple[str | None, Chooser | None, Unchecked | None]:
    """The option of the last round, what chose it, and the code of the note if it was not checked.

    Without a round nothing is confirmed.
    """
    verified = state["rounds"] if state["keyed_options"] and statements else []
    choice = verified[-1]["choice"] if verified else None
    if not choice:
        return choice, None, None
    if state["draft"]["choice_probability"] == 0:
        return choice, "nearest", "option_nearest"
    if state["draft"]["choice_probability"] is None and as_drafted(state["keyed_options"], context):
        return choice, "draft", "option_drafted"
    return choice, "sources" if critic else "draft", None


def _support(
    state: State,
    statements: Sequence[Statement],
    choice: str | None,
    unchecked: Unchecked | None,
    critic: Critic | None,
) -> float | None:
    """The confidence in the statements and the choice; None without an entailment model.

    It is 0 if the choice is ``unchecked``.
    """
    if critic is None or critic.method != "entailment":
        return None
    chosen = state["draft"]["choice_probability"] if choice else None
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
