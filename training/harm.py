"""The layers that find messages of self-harm: ``python -m training.harm --data FOLDER``.

Logistic regressions on the embedder's vectors and on the words (``anamnesis.models.harm``) of the
messages in ``training.urgent``, as written and as somebody else might type them. The sentences of
the other messages, and of real ones, are further negatives, because the layers also read the
sentences of a long message. Fitted after ``training.wording``, whose weights of words they use.
Prints the figures on held-out messages.
"""

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from anamnesis.models.embedding import load_embedder
from anamnesis.models.harm import WEIGHTS, message_sentences
from anamnesis.models.wording import features
from training.judged import read_judged
from training.linear_layer import store_layers
from training.question_passages import Reading
from training.urgent import is_dev, messages, typed
from training.wording import matrix

_SEED = 73
_REAL = 4000
"""Sentences of real messages."""
_WORDS, _VECTORS = 10.0, 3.0
"""The inverse of the regularisation, as in scikit-learn."""
_FEW = {False: 1, True: 3}
"""The weight of a message, because few are of self-harm."""


def fit(found: Sequence[Reading], real: Sequence[str]) -> dict[str, np.ndarray]:
    """The layers as ``anamnesis.models.harm`` stores them; ``real`` are sentences without harm."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    embedder, rng = load_embedder(), random.Random(_SEED)
    trained = [item for item in found if not is_dev(item.question)]
    others = [
        text
        for item in trained
        if item.kind != "self-harm"
        for text in message_sentences(item.question)
    ]
    texts = [item.question for item in trained]
    texts += [typed(text, rng) for text in texts] + others + list(real)
    labels = np.zeros(len(texts), bool)
    labels[: 2 * len(trained)] = [item.kind == "self-harm" for item in trained] * 2
    by_words = LogisticRegression(C=_WORDS, max_iter=2000, class_weight=_FEW)
    by_words.fit(matrix(map(features, texts)), labels)
    by_vector = LogisticRegression(C=_VECTORS, max_iter=3000, class_weight=_FEW)
    by_vector.fit(embedder.embed_queries(texts), labels)
    aside = [item for item in found if is_dev(item.question)]
    own = [item.question for item in aside]
    scores = by_words.decision_function(matrix(map(features, own)))
    scores = scores + by_vector.decision_function(embedder.embed_queries(own))
    wanted = [item.kind == "self-harm" for item in aside]
    print(
        f"kept aside: {sum(wanted)} of {len(aside)} messages are of self-harm; AUROC "
        f"{roc_auc_score(wanted, scores):.3f}"
    )
    return {
        "weight": (by_vector.coef_[0] / 2).astype(np.float32),
        "words": (by_words.coef_[0] / 2).astype(np.float16),
        "bias": ((by_vector.intercept_ + by_words.intercept_) / 2).astype(np.float32),
    }


def _sentences(folder: Path) -> list[str]:
    """Sentences of real messages that are routine and not held out."""
    every = (item for item in read_judged(folder) if not item.held_out)
    calm = (item.message for item in every if item.level == "routine")
    found = sorted({text for message in calm for text in message_sentences(message)})
    return random.Random(_SEED).sample(found, min(_REAL, len(found)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""

    def layers(folder: Path) -> dict[str, np.ndarray]:
        return fit(messages(folder), _sentences(folder))

    return store_layers("training.harm", __doc__, WEIGHTS, layers, arguments, "layers")


if __name__ == "__main__":
    raise SystemExit(main())
