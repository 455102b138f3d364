"""Write an answer as separate statements, each citing passages [R5, S3, H4, H6]."""

from functools import partial

from langgraph.runtime import Runtime

from nodes.parts import Parts
from nodes.question.several import is_open, merged_draft, question_states
from nodes.settings.context import Context, settings
from nodes.state import State, Update
from nodes.writing.drafting import draft_of_question
from nodes.writing.early import early_checks


def generate(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """A draft from the selected passages: quoted, or written by the chat model.

    If the chat model fails, or writes an unusable reply twice, the passages are quoted. If the
    message asks several questions, each one that this round searched for gets its own draft (an
    empty one if its evidence is not good enough). ``dropped`` lists, for the trace, the passages
    and sentences that were not used, and why. ``parts`` has the models and the index.
    """
    context = settings(runtime)
    # Makes checkers of statements while the reply is streaming; None if they are not streamed.
    make_checker = early_checks(state, context, parts, runtime.stream_writer)
    updates = [
        (
            number,
            draft_of_question(
                entry, context, parts, make_checker and partial(make_checker, number)
            ),
        )
        for number, entry in question_states(state)
        if is_open(state, number)
    ]
    draft = merged_draft([(number, entry["draft"]) for number, entry in updates])
    dropped = [item for _, entry in updates for item in entry.get("dropped", [])]
    return {"draft": draft, "dropped": dropped} if dropped else {"draft": draft}
