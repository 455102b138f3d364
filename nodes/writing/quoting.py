"""A draft that quotes the passages, or chooses an option by them; no chat model is asked."""

from collections.abc import Sequence

from anamnesis.corpus.passage import Passage
from anamnesis.models.sentence_vectors import vectors_of
from nodes.choosing.choice import choose, draft
from nodes.choosing.nearest import nearest
from nodes.context import Context, unweighed
from nodes.parts import Parts
from nodes.settings.derived import least_relevance
from nodes.state import State, Update
from nodes.writing.extract import dropped, extract
from nodes.writing.weighing import weighing


def quoted_draft(
    state: State, context: Context, parts: Parts, passages: Sequence[Passage]
) -> Update:
    """The draft that quotes the passages that are relevant enough to the question.

    A chat model can judge which documents help; the extractive generator relies on the threshold.
    """
    question, least = state["queries"][0], least_relevance(state["choices"], context)
    both = zip(passages, state["selected"], strict=True)
    read = [
        (passage, item)
        for passage, item in both
        if passage.text.strip() and item["relevance"] >= least
    ]
    fitting = [passage for passage, _ in read]
    if choices := state["choices"]:
        if unweighed(choices, context):
            vectors = vectors_of(parts.index(context).embedder)
            return {"draft": nearest(question, choices, fitting, vectors)}
        chooser = parts.chooser(context)
        return {
            "draft": choose(
                question, choices, fitting, chooser, context.verification.min_choice_probability
            )
        }
    said = extract(
        fitting,
        [item for _, item in read],
        least,
        context.generator.max_statements,
        weigh=weighing(context),
    )
    left = dropped(passages, state["selected"], least, said)
    return {"draft": draft(said, None, None), "dropped": left}
