"""What the rounds so far support, and what is searched for next."""

from collections.abc import Sequence
from typing import NamedTuple

from nodes.checking.answered import round_result
from nodes.checking.subject import counted_statements
from nodes.fields.queries import NextQueries
from nodes.question.next_query import next_queries
from nodes.question.several import rounds_for_answer, supported_share
from nodes.settings.context import Context
from nodes.state import Draft, Round, State, Statement
from nodes.writing.streamed import never_supported, streams_statements


def after_round(state: State, statements: Sequence[Statement], choice: str | None) -> State:
    """The state after a round with these judged statements and this confirmed option."""
    result = round_result(state, statements, choice)
    draft: Draft = {**state["draft"], "statements": result["statements"]}
    return {**state, "rounds": [*state["rounds"], result], "draft": draft}


class RoundSupport(NamedTuple):
    """The statements that may be shown after a round, the others, and the support score (0 to 1).

    ``queries`` are those of a further round (``queries_of_next_round``).

    The statements are those of the last round; if a message has several questions, of the best
    round of each question. With streaming, ``unsupported`` has only statements that no other round
    supports. Of several questions, the lowest score counts; those without statements have none.
    """

    shown: list[Statement]
    unsupported: list[Statement]
    score: float
    queries: NextQueries


def round_support(state: State, context: Context) -> RoundSupport:
    """The support after the last of the state's rounds; there must be one."""
    by_question = [entry["statements"] for entry in rounds_for_answer(state).values()]
    every = [item for statements in by_question for item in statements]
    shown = [item for item in every if item["verdict"] in ("supported", "unchecked")]
    unsupported = [item for item in every if item not in shown]
    if streams_statements(state, context):
        unsupported = never_supported(unsupported, state["rounds"])
    score = min(
        (supported_share(counted_statements(group)) for group in by_question if group),
        default=0.0,
    )
    queries = queries_of_next_round(state, context.loop.min_supported_share)
    return RoundSupport(shown, unsupported, score, queries)


def queries_of_next_round(state: State, threshold: float) -> NextQueries:
    """The queries of the next round, by question (``next_queries``).

    Statements that only answer another question (see ``counted_statements``) are not searched for
    again. ``threshold`` is the minimum share of supported statements at which one
    of several questions needs no further search.
    """
    *earlier, last = state["rounds"]
    last_counted: Round = {**last, "statements": counted_statements(last["statements"])}
    return next_queries({**state, "rounds": [*earlier, last_counted]}, threshold)


def unchecked_round(state: State, judged: Sequence[Statement], context: Context) -> Round:
    """The result of a round in which the critic failed when it had judged only ``judged``.

    Statements that were streamed keep their verdicts; the others stay unchecked.
    """
    streamed = list(judged) if streams_statements(state, context) else []
    unchecked = state["draft"]["statements"][len(streamed) :]
    # The score is 0, so that a round that was checked is preferred as the best one.
    return {**round_result(state, [*streamed, *unchecked], None), "score": 0.0}
