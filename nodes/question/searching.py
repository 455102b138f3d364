"""The search for a question, and the search again when a run is continued elsewhere."""

from nodes.fields.options import is_yes_no
from nodes.parts import Parts
from nodes.question.several import question_states
from nodes.settings.context import Context
from nodes.settings.derived import found_passages, search_settings
from nodes.state import State
from retrievers.search import Hit, search


def hits_for(state: State, context: Context, parts: Parts) -> list[Hit]:
    """The passages and facts found for the latest query of a question.

    ``state`` is the view of the state for this question.
    """
    options = state["keyed_options"]
    # Option texts are searched for too, except yes, no and maybe, which name nothing.
    option_texts = [] if is_yes_no(options) else list(options.values())
    return search(
        parts.index(context),
        state["queries"][-1],
        k=found_passages(context),
        **search_settings(context),
        options=option_texts,
        facts_k=context.retrieval.facts_k,
        fact_search=context.retrieval.fact_search,
        fact_candidates=context.retrieval.fact_candidates,
    )


def find_again(state: State, context: Context, parts: Parts) -> None:
    """Search again for what a run has found, if not all of it can be read by id.

    The documents of a retriever are known only to the process that found them, and the run may be
    continued by another one.
    """
    ids = {hit["id"] for hit in state["hits"]}.union(
        *(entry["passages"] for entry in state["rounds"])
    )
    if ids and ids - parts.find(sorted(ids), context).keys():
        for _, item in question_states(state):
            for query in item["queries"]:
                hits_for({**item, "queries": [query]}, context, parts)
