"""Run the search methods of the settings and fuse their results [R1–R3, H3, S2, K2, K3, K7]."""

from langgraph.runtime import Runtime

from anamnesis import SettingError
from nodes.parts import Parts
from nodes.question.searching import hits_for
from nodes.question.several import is_open, question_states
from nodes.settings.context import Context, settings
from nodes.state import State, Update
from retrievers.methods import finds_facts
from retrievers.search import Hit


def retrieve(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """The passages and facts found for the latest query, fused, each with ranks and raw scores.

    If a message has several questions, each is searched for separately; in later rounds, only
    those for which ``rewrite`` added a query, and the others keep their hits. ``parts`` has the
    models and the index; the number of a question is stored in its hits as ``part``. Raises
    SettingError if only facts are searched for and the index has none.
    """
    context = settings(runtime)
    methods = context.retrieval.methods
    if all(map(finds_facts, methods)) and not parts.index(context).manifest.facts:
        raise SettingError(
            f"retrieval.methods is {list(methods)}, but the index contains no facts; index facts "
            "with 'anamnesis index facts PATH', or add 'sparse' or 'dense' to retrieval.methods"
        )
    found: list[Hit] = []
    for number, item in question_states(state):
        search_needed = is_open(state, number)
        hits = hits_for(item, context, parts) if search_needed else item["hits"]
        found += [{**hit, "part": number} for hit in hits] if number else hits
    return {"hits": found}
