"""What is shown if no draft succeeded: the supported statements, quotations, or first-aid steps."""

from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.corpus.passage import Passage
from nodes.parts import Parts
from nodes.question.several import best_rounds, common_problem, problems_by_question
from nodes.settings.context import Context
from nodes.state import Outcome, State, Statement
from nodes.writing.first_aid import steps
from nodes.writing.quoting import quoted_instead
from nodes.writing.streamed import (
    SupportedStatements,
    never_supported,
    problem_of,
    streams_statements,
)


class RemainingAnswer(NamedTuple):
    """What an answer shows and withholds, the statements not yet streamed, and the state behind it.

    ``extra`` are cited passages that are not in the index.
    """

    outcome: Outcome
    shown: list[Statement]
    late: list[Statement]
    withheld: list[Statement]
    state: State
    extra: Sequence[Passage] = ()


def first_aid(state: State) -> RemainingAnswer:
    """The first-aid steps, if there are any; the answer itself says whom to call.

    The pages come with the program, so an emergency is answered without an index.
    """
    page = steps(state["urgency"].get("first_aid", ""))
    statements, extra = (page[1], [page[0]]) if page else ([], [])
    return RemainingAnswer("urgent", statements, statements, [], state, extra)


def remaining_answer(state: State, context: Context, parts: Parts) -> RemainingAnswer:
    """The supported statements of the best round, or quotations if all were withheld."""
    published = context.verification.verdicts == "entailment"
    streamed = streams_statements(state, context)
    best = best_rounds(state)
    whole = best.get(0)
    named = published and whole is not None and whole["choice"] is not None
    # A multiple choice question gets one option or none; without an option, no reasons are shown.
    stated = named or not state["keyed_options"]
    statements = [item for entry in best.values() for item in entry["statements"]] if stated else []
    supported = [item for item in statements if item["verdict"] == "supported"]
    unconfirmed = [item for item in statements if item["verdict"] != "supported"]
    problem, by_question = whole.get("problem") if whole else None, problems_by_question(best)
    if streamed:
        supported = SupportedStatements(state["rounds"]).in_order()
        unconfirmed = never_supported(unconfirmed, state["rounds"])
        problem = problem_of(state["rounds"], problem)
    quoted = (
        {} if published else quoted_instead(state, best, supported, unconfirmed, context, parts)
    )
    for number in quoted:
        if number:
            by_question[str(number)] = "withheld"
        else:
            problem = "withheld"
    late = [item for quotations in quoted.values() for item in quotations]
    supported = sorted([*supported, *late], key=lambda item: item.get("part", 0))
    after: State = {**state}
    if draft := state.get("draft"):
        after["draft"] = {**draft, "problem": problem, "problems": by_question}
        common = common_problem(by_question, {item.get("part", 0) for item in supported})
        if "withheld" in (problem, common):
            after["draft"]["prompt"] = {}  # memories are listed only if they were in a prompt
    if not supported and state["urgency"]["kind"]:  # it may be an emergency
        steps_only = first_aid({**after, "reason": "emergency"})
        if steps_only.shown:
            return steps_only
    if not supported:
        return RemainingAnswer("abstained", [], [], [], after)
    after["reason"] = "some_unsupported"
    if whole and named:  # the round that provides the answer
        after["rounds"] = [*(entry for entry in state["rounds"] if entry is not whole), whole]
    return RemainingAnswer(
        "partial", supported, late if streamed else supported, unconfirmed, after
    )
