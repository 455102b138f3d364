"""Add the next query, which searches for the unsupported statements [S1, S6]."""

from langgraph.runtime import Runtime

from anamnesis import SettingError
from nodes.fields.queries import SubQuestion
from nodes.parts import Parts
from nodes.question.several import question_states
from nodes.question.worded_query import written_by
from nodes.settings.context import Context, settings
from nodes.state import State, Update


def rewrite(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """Add the next query, or the next query of each of several questions, to the earlier ones.

    ``verify`` has computed it, because the query decides whether there is another round; a chat
    model may change its wording. Statements about one question are never added to the query of
    another. Raises ``SettingError`` if the state lacks ``next_queries``: a caller has written it.
    """
    context = settings(runtime)
    chat = parts.chat(context) if context.loop.rewrite == "model" else None
    found = state.get("next_queries")
    if found is None:
        raise SettingError(
            "the state that was written has no next_queries, and what to search for is not known; "
            'add "next_queries": {"0": {"query": "…", "claims": []}}; the keys are the numbers of '
            "the questions, or 0 if there is only one"
        )
    made: dict[int, str] = {}
    for number, item in question_states(state):
        following = found.get(str(number))
        if following is None and number and not _repeats_query(item, context):
            continue
        following = following or {"query": item["queries"][-1], "claims": []}
        by_model = chat and written_by(chat, item["queries"], following["claims"])
        made[number] = by_model or following["query"]
    queries = [*state["queries"], " ".join(made.values())]
    questions: list[SubQuestion] = [
        {**question, "later_queries": [*question.get("later_queries", []), made[number]]}
        if number in made
        else {**question, "closed": True}
        for number, question in enumerate(state.get("sub_questions") or [], 1)
    ]
    return {"queries": queries, "sub_questions": questions} if questions else {"queries": queries}


def _repeats_query(state: State, context: Context) -> bool:
    """Whether the same query is asked once more, because the prompt has a different history."""
    below = not state["rounds"] or state["rounds"][-1]["score"] < context.loop.min_supported_share
    return context.loop.history == "rounds" and below
