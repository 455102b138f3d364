"""Read and order the fused passages, and decide whether they answer the question [R4, H3, H5]."""

from langgraph.runtime import Runtime

from nodes.evidence.selecting import finds_nothing_new, read_and_select
from nodes.evidence.unused import insufficient
from nodes.fields.passages import Dropped, ReadPassage, Selected
from nodes.parts import Parts
from nodes.question.several import is_open, question_states
from nodes.question.siblings import judged_together
from nodes.routes import after_rerank
from nodes.settings.context import Context, settings
from nodes.settings.derived import least_relevance
from nodes.state import State, Update


def rerank(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """The passages and facts for the generator, best first, and the edge to take.

    If a message has several questions, the passages of each are selected separately; a draft is
    written if at least one of them has a passage that is relevant enough. ``dropped`` has the
    passages that the generator does not get, each with the reason.
    """
    context, several = settings(runtime), bool(state.get("sub_questions"))
    selected: list[Selected] = []
    read: list[ReadPassage] = []
    chosen_now: list[Selected] = []
    unused: list[Dropped] = []
    for number, item in question_states(state):
        if is_open(state, number):
            found = read_and_select(item, context, parts)
            chosen = judged_together(found.selected, item["queries"][0], state, context, parts)
            chosen_now += chosen
            selected += chosen
            read += found.read
            unused += found.dropped
        else:  # what an earlier round found
            selected += item["selected"]
            read += item["read"]
    if several:
        read.sort(key=lambda item: -item["relevance"])
    chat = parts.chat(context) is not None
    least = least_relevance(state["keyed_options"], context, chat=chat, part=several)
    repeats = finds_nothing_new(selected, state["rounds"])
    reason, route = after_rerank(
        max((item["relevance"] for item in chosen_now), default=None),
        least,
        new_passage=not (context.loop.stop_without_new_passages and repeats),
        remembered=bool(state.get("user_quotes")),
    )
    if route["to"] == "fallback":
        unused = [*insufficient(chosen_now, least, route["why"]), *unused]
    update: Update = {"selected": selected, "read": read, "dropped": unused, "route": route}
    return update | ({"reason": reason} if reason else {})
