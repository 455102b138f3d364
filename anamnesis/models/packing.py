"""A question and a passage as token ids in windows, for readers with an output for each token."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

OTHER = -1
"""Owner of a token that belongs to no sentence."""


class Packed(NamedTuple):
    """A window in the form of the model's input.

    ``types`` are 0 up to and including the token after the question, then 1; ``owner`` has for each
    token the position of its sentence, or ``OTHER``.
    """

    ids: list[int]
    types: list[int]
    owner: list[int]


def packed(
    question: Sequence[int],
    heading: Sequence[int],
    sentences: Sequence[Sequence[int]],
    ends: tuple[int, int],
    window: int,
) -> list[Packed]:
    """Windows of whole sentences, each with the question and the heading before them.

    Args:
        question: The tokens of the question, at most three eighths of the window: see
            ``both_ends``.
        heading: The tokens of the heading. A long heading is cut at the end.
        sentences: The tokens of each sentence. A sentence that does not fit into a window is
            divided.
        ends: The special tokens that begin a window, and that end each part of it.
        window: The number of tokens of a window, special tokens included.

    A passage without sentences has one window too.
    """
    start, end = ends
    first = [start, *question, end]
    heading = heading[: (window - len(first)) // 2]
    room = window - len(first) - len(heading) - 1
    made: list[Packed] = []
    ids: list[int] = []
    owner: list[int] = []

    def close() -> None:
        made.append(
            Packed(
                [*first, *heading, *ids, end],
                [0] * len(first) + [1] * (len(heading) + len(ids) + 1),
                [OTHER] * (len(first) + len(heading)) + owner + [OTHER],
            )
        )

    for place, sentence in enumerate(sentences):
        for begin in range(0, len(sentence), room):
            piece = sentence[begin : begin + room]
            if len(ids) + len(piece) > room:
                close()
                ids, owner = [], []
            ids += piece
            owner += [place] * len(piece)
    close()
    return made


def means(windows: Sequence[Packed], values: Sequence[Floats], n: int) -> Floats:
    """The mean value of the tokens of each of ``n`` sentences, or NaN for a sentence without
    tokens.

    ``values`` has an array for each window, with a value for each of its tokens.
    """
    owner = np.concatenate([np.array(item.owner, np.int64) for item in windows])
    flat = np.concatenate(values).astype(np.float64)
    is_owned = owner != OTHER
    totals = np.bincount(owner[is_owned], flat[is_owned], minlength=n)
    counts = np.bincount(owner[is_owned], minlength=n)
    found = np.full(n, np.nan, np.float32)
    found[counts > 0] = totals[counts > 0] / counts[counts > 0]
    return found


def both_ends(tokens: list[int], most: int) -> list[int]:
    """At most ``most`` tokens: the beginning and the end of a longer text."""
    half = most // 2
    return tokens if len(tokens) <= most else [*tokens[:half], *tokens[-half:]]
