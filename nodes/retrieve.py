"""Search the lists and fuse them [R1–R3, H3, S2, K2, K3, K7]."""

from langgraph.runtime import Runtime

from anamnesis import SettingError
from nodes.fields.options import is_polar
from nodes.parts import Parts
from nodes.question.several import is_open, question_states
from nodes.settings.context import Context, settings
from nodes.settings.derived import found_passages, search_settings
from nodes.state import State, Update
from retrievers.methods import finds_facts
from retrievers.search import Hit, search


def retrieve(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """The passages and facts found for the latest query, fused, each with ranks and raw scores.

    If a message has several questions, each is searched for separately; in later rounds, only
    those with an unconfirmed statement are. Raises SettingError if only facts are searched and the
    index has none.
    """
    context = settings(runtime)
    only_facts = all(finds_facts([name]) for name in context.retrieval.methods)
    if only_facts and not parts.index(context).manifest.facts:
        raise SettingError(
            "the settings search only facts, and the index has none; index some with "
            "'anamnesis index facts PATH', or add sparse or dense to retrieval.methods"
        )
    found: list[Hit] = []
    for number, item in question_states(state):
        again = is_open(state, number)
        hits = _found(item, context, parts) if again else item["hits"]
        found += [{**hit, "part": number} for hit in hits] if number else hits
    return {"hits": found}


def _found(state: State, context: Context, parts: Parts) -> list[Hit]:
    options = state["keyed_options"]
    # The evidence may be about the options of a multiple-choice question.
    named = [] if is_polar(options) else options.values()
    return search(
        parts.index(context),
        state["queries"][-1],
        k=found_passages(context),
        **search_settings(context),
        options=list(named),
        facts_k=context.retrieval.facts_k,
        fact_search=context.retrieval.fact_search,
        fact_candidates=context.retrieval.fact_candidates,
    )
