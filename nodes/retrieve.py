"""Ask the lists side by side and fuse them [R1–R3, H3, S2, K2, K3, K7]."""

from langgraph.runtime import Runtime

from anamnesis import SettingError
from nodes.context import Context, settings
from nodes.derived import fusion_weights
from nodes.options import is_polar
from nodes.parts import Parts
from nodes.several import each
from nodes.state import State, Update
from retrievers.search import Hit, search


def retrieve(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """The passages and facts that fit the latest query, fused, each with ranks and raw scores.

    Of a message with several questions each is searched for by itself. Raises SettingError where
    facts alone are asked for and the index has none.
    """
    context = settings(runtime)
    if context.methods == ("facts",) and parts.index(context).facts is None:
        raise SettingError(
            "the settings ask for facts alone, and the index has none; put some into it with "
            "'anamnesis index facts PATH', or add sparse or dense to methods"
        )
    found: list[Hit] = []
    for number, own in each(state):
        hits = _found(own, context, parts)
        found += [{**hit, "part": number} for hit in hits] if number else hits
    return {"hits": found}


def _found(state: State, context: Context, parts: Parts) -> list[Hit]:
    choices = state["choices"]
    # The options of a multiple choice question are what there may be evidence of.
    named = [] if is_polar(choices) else choices.values()
    return search(
        parts.index(context),
        state["queries"][-1],
        methods=context.methods,
        k=context.passages,
        candidates=context.candidates,
        rrf_k=context.rrf_k,
        weights=fusion_weights(context),
        fusion=context.fusion,
        reduce_query=context.reduce_query,
        options=list(named),
        facts=context.facts_k,
        fact_search=context.fact_search,
        facts_broad=context.facts_broad,
    )
