"""The layer on the words of messages: ``python -m training.wording --data FOLDER``.

Logistic regression on the features of ``anamnesis.models.ngrams``, weighted by how rare they are,
of the messages with their urgency (``training.urgent``), of turns of a conversation and of search
words, which are routine. How much the words and the reader count, and the shift of each level, are
then fitted on held-out messages. Prints what was fitted; `python -m benchmarks.triage` measures it.
"""

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from anamnesis.models.message_layers import message_outputs
from anamnesis.models.ngrams import COLUMNS, Counts, counts
from anamnesis.models.reading import URGENCY_LEVELS
from anamnesis.models.wording import WEIGHTS, scaled
from training import urgent
from training.finish import minimise
from training.linear_layer import store_layers
from training.question_passages import Reading, read_question_passages

_SEED = 71
_SEARCH_WORDS = 1500
_SEEN = 2
"""Texts that must have a feature for it to count."""
_STRENGTH = 10.0
"""The inverse of the regularisation, as in scikit-learn."""


def examples(folder: Path) -> list[Reading]:
    """The messages with their levels."""
    rng = random.Random(_SEED)
    words = [
        item
        for item in read_question_passages(folder)
        if item.style == "search" and not item.held_out
    ]
    # Search words for first aid may be typed in an emergency.
    words = [item for item in words if not item.passage.startswith("starter")]
    routine = [item.question for item in rng.sample(words, _SEARCH_WORDS)]
    routine += urgent.fragments(folder) * 2
    return [*urgent.trained(folder, rng), *(Reading(text, level="routine") for text in routine)]


def rarity(texts: Sequence[str]) -> np.ndarray:
    """The weight of each feature (2 × ``COLUMNS``,): smoothed inverse document frequency.

    A feature that fewer than ``_SEEN`` texts have counts 0.
    """
    seen = np.zeros(2 * COLUMNS)
    for text in texts:
        seen[counts(text).columns] += 1
    idf = np.log((1 + len(texts)) / (1 + seen)) + 1
    return np.where(seen >= _SEEN, idf, 0).astype(np.float16)


def matrix(features: Iterable[Counts]) -> Any:
    """The features of n texts as a sparse matrix (n, 2 × ``COLUMNS``)."""
    from scipy.sparse import csr_matrix

    rows = list(features)
    ends = np.cumsum([0, *(len(item.columns) for item in rows)])
    values = np.concatenate([item.values for item in rows])
    columns = np.concatenate([item.columns for item in rows])
    return csr_matrix((values, columns, ends), shape=(len(rows), 2 * COLUMNS))


def mixed(parts: Sequence[np.ndarray], levels: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The factors of several parts of the log-odds (n, 3), and the shift of each level (3,).

    Those with the least cross-entropy.
    """
    given = torch.tensor(np.stack(parts), dtype=torch.float32)
    wanted = torch.tensor(levels)
    factors = torch.full((len(parts),), 0.5, requires_grad=True)
    shifts = torch.zeros(len(URGENCY_LEVELS), requires_grad=True)

    def loss() -> torch.Tensor:
        return functional.cross_entropy(torch.einsum("p,pnl->nl", factors, given) + shifts, wanted)

    minimise(loss, [factors, shifts])
    return factors.detach().numpy(), shifts.detach().numpy()


def fit(folder: Path) -> dict[str, np.ndarray]:
    """The layer as ``anamnesis.models.wording`` stores it."""
    from sklearn.linear_model import LogisticRegression

    from anamnesis.models.reader import OwnReader
    from anamnesis.models.reference import parse

    found = examples(folder)
    texts = [item.question for item in found]
    idf = rarity(texts)
    levels = [URGENCY_LEVELS.index(item.level or "") for item in found]
    model = LogisticRegression(C=_STRENGTH, max_iter=2000).fit(
        matrix(scaled(item, idf) for item in map(counts, texts)), levels
    )
    aside = [item for item in urgent.messages(folder) if urgent.is_dev(item.question)]
    reader = OwnReader(parse("own"))
    read = [reader.message(item.question) for item in aside]
    features = matrix(scaled(counts(item.question), idf) for item in aside)
    parts = [
        features @ model.coef_.T + model.intercept_,
        np.array([last for last, _ in read]),
        np.array([message_outputs(state).levels for _, state in read]),
    ]
    wanted = [URGENCY_LEVELS.index(item.level or "") for item in aside]
    (words, last, middle), shift = mixed(parts, wanted)
    print(f"{len(found)} texts; words {words:.3f}, last block {last:.3f}, middle {middle:.3f}")
    print(f"shift {shift.round(3)}")
    return {
        "idf": idf,
        "weight": (model.coef_.T * words).astype(np.float16),
        "last": np.array(last, np.float32),
        "middle": np.array(middle, np.float32),
        "bias": (model.intercept_ * words + shift).astype(np.float32),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""
    return store_layers("training.wording", __doc__, WEIGHTS, fit, arguments, "layer")


if __name__ == "__main__":
    raise SystemExit(main())
