"""The option that the evidence comes nearest to, where no support is asked for [K4, K5]."""

from collections.abc import Callable, Sequence

import numpy as np

from corpus.passage import Passage
from models.encoder import Vectors
from nodes.choice import draft, quotations
from nodes.declarative import negated
from nodes.state import Draft


def nearest(
    question: str,
    choices: dict[str, str],
    passages: Sequence[Passage],
    vectors: Callable[[Sequence[str]], Vectors],
) -> Draft:
    """The draft that names the option which the passages come nearest to, and quotes what does.

    It tells what the evidence is about, and no more: that it bears the option out is not checked,
    and no probability above 0 is claimed. ``vectors`` gives unit vectors (n, dimensions).
    """
    found = list(quotations(passages))
    if not found:
        return draft([], None, None)
    told = vectors([question, *choices.values(), *(own.item["text"] for own in found)])
    options, texts = told[1 : 1 + len(choices)], told[1 + len(choices) :]
    near, about = texts @ told[0], (texts @ options.T).argmax(axis=1)
    key = list(choices)[nearest_option(near, about, len(choices), negated(question))]
    return draft([found[int(near.argmax())].item], key, 0.0)


def nearest_option(
    near: Vectors, about: Sequence[int] | np.ndarray, options: int, negated: bool
) -> int:
    """The number of the option that the text nearest to the question is about.

    ``near`` has each text's closeness to the question, ``about`` the option that it is nearest to.
    Of an EXCEPT question it is the option whose texts are farthest, or the first that has none.
    """
    best = np.full(options, -np.inf)
    np.maximum.at(best, about, near)
    return int(best.argmin() if negated else best.argmax())
