"""The safe answer, which contains only what its evidence supports [H5, S7]."""

from langgraph.runtime import Runtime

from nodes.parts import Parts
from nodes.remembering.own_words import statements_of_quotes
from nodes.settings.context import Context, settings
from nodes.state import State, Update
from nodes.writing.answer import compose
from nodes.writing.remaining import RemainingAnswer, first_aid, remaining_answer
from nodes.writing.streamed import statement_sender


def fallback(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """Answer with the supported statements of the best round, or with quotations.

    If nothing can be quoted either, the answer makes no claim.
    """
    context = settings(runtime)
    if state["reason"] == "emergency":
        found = first_aid(state)
    elif state["reason"] == "remembered":
        statements, extra = statements_of_quotes(state["user_quotes"])
        found = RemainingAnswer("answered", statements, statements, [], state, extra)
    else:
        found = remaining_answer(state, context, parts)
    if context.generator.stream_statements:
        send = statement_sender(context, parts, runtime.stream_writer, found.extra)
        for item in found.late:
            send(item)
    return compose(
        found.state, context, parts, found.outcome, found.shown, found.withheld, found.extra
    )
