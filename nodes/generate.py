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

    If the chat model fails, or writes an unusable reply twice, the passages are quoted. Each of
    several questions has its own draft, if its evidence is good enough. ``dropped`` are the
    passages and sentences that are not used.
    """
    context = settings(runtime)
    early = early_checks(state, context, parts, runtime.stream_writer)
    updates = [
        (number, draft_of_question(entry, context, parts, early and partial(early, number)))
        for number, entry in question_states(state)
        if is_open(state, number)
    ]
    draft = merged_draft([(number, entry["draft"]) for number, entry in updates])
    unused = [item for _, entry in updates for item in entry.get("dropped", [])]
    return {"draft": draft, "dropped": unused} if unused else {"draft": draft}
