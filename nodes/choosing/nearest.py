"""Choose the option nearest to the evidence, if no support is required [K4, K5]."""

from collections.abc import Callable, Sequence

import numpy as np

from anamnesis.corpus.passage import Passage
from anamnesis.models.encoder import Vectors
from nodes.choosing.choice import new_draft, quotations
from nodes.choosing.declarative import asks_for_exception
from nodes.choosing.linking import linked, linking
from nodes.state import Draft


def choose_nearest(
    question: str,
    options: dict[str, str],
    passages: Sequence[Passage],
    vectors: Callable[[Sequence[str]], Vectors],
) -> Draft:
    """The draft that chooses the option nearest to the passages, and quotes the nearest text.

    If facts link an option with the question, the choice is among the options with the most links,
    and the fact is quoted. Similarity shows only what the evidence is about; whether it supports
    the option is not checked, so the probability is 0. ``vectors`` returns unit vectors (n,
    dimensions).
    """
    negated = asks_for_exception(question)
    facts = [item for item in passages if item.kind == "fact"]
    not_facts = [item for item in passages if item.kind != "fact"]
    texts = [item.statement for item in quotations(not_facts)]
    texts = texts or [item.statement for item in quotations(facts)]
    if not texts:
        return new_draft([], None, None)
    links = linking(question, options, facts)
    best = linked(question, options, links, negated)
    keys = best or list(options)
    embedded = vectors(
        [question, *(options[key] for key in keys), *(item["text"] for item in texts)]
    )
    option_vectors, text_vectors = embedded[1 : 1 + len(keys)], embedded[1 + len(keys) :]
    near, about = text_vectors @ embedded[0], (text_vectors @ option_vectors.T).argmax(axis=1)
    key = keys[nearest_option(near, about, len(keys), negated)]
    # For an EXCEPT question, the facts that link the other options are the reasons.
    others = [item for name in options if name != key for item in links[name]]
    reasons = [item for item in others if item not in links[key]] if negated else links[key]
    quoted = [item.statement for item in quotations(reasons)] or [texts[int(near.argmax())]]
    return new_draft(quoted[:1], key, 0.0)


def nearest_option(
    near: Vectors, about: Sequence[int] | np.ndarray, count: int, negated: bool
) -> int:
    """The number of the option that the text nearest to the question is about.

    ``near`` has each text's similarity to the question, ``about`` the option that it is nearest to.
    For an EXCEPT question it is the option whose texts are farthest, or the first without a text.
    """
    best = np.full(count, -np.inf)
    np.maximum.at(best, about, near)
    return int(best.argmin() if negated else best.argmax())
