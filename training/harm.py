"""The layer on the words of self-harm: ``python -m training.harm --data FOLDER``.

Logistic regression on the words (``anamnesis.models.harm``) of the messages in ``training.urgent``,
as written and as somebody else might type them. The sentences of the other messages, and of real
ones, are further negatives, because the sentences of a long message are read as well. Fitted after
``training.message_layers`` and ``training.wording``, which it needs. Prints the figures on held-out
messages.
"""

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from anamnesis.language.text import sentence_texts
from anamnesis.models.harm import WEIGHTS
from anamnesis.models.message_layers import message_outputs
from anamnesis.models.wording import features
from training.linear_layer import store_layers
from training.message_layers import states
from training.question_passages import Reading
from training.urgent import is_dev, messages, real_sentences, typed
from training.wording import matrix

_SEED = 73
_REAL = 4000
"""Sentences of real messages."""
_STRENGTH = 10.0
"""The inverse of the regularisation, as in scikit-learn."""
_FEW = {False: 1, True: 3}
"""The weight of a message, because few are of self-harm."""


def fit(found: Sequence[Reading], real: Sequence[str]) -> dict[str, np.ndarray]:
    """The layer as ``anamnesis.models.harm`` stores it; ``real`` are sentences without harm."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    rng = random.Random(_SEED)
    trained = [item for item in found if not is_dev(item.question)]
    others = [
        text
        for item in trained
        if item.kind != "self-harm"
        for text in sentence_texts(item.question)
    ]
    texts = [item.question for item in trained]
    texts += [typed(text, rng) for text in texts] + others + list(real)
    labels = np.zeros(len(texts), bool)
    labels[: 2 * len(trained)] = [item.kind == "self-harm" for item in trained] * 2
    model = LogisticRegression(C=_STRENGTH, max_iter=2000, class_weight=_FEW)
    model.fit(matrix(map(features, texts)), labels)
    aside = [item for item in found if is_dev(item.question)]
    questions = [item.question for item in aside]
    by_words = model.decision_function(matrix(map(features, questions))) / 2
    by_reader = np.array([message_outputs(state).harm for state in states(questions)])
    wanted = [item.kind == "self-harm" for item in aside]
    print(f"held out: {sum(wanted)} of {len(aside)} messages are of self-harm; AUROC", end=" ")
    print(
        f"by words {roc_auc_score(wanted, by_words):.3f}, with the reader "
        f"{roc_auc_score(wanted, by_words + by_reader):.3f}"
    )
    # Half, because the reader's log-odds are the other half.
    return {
        "words": (model.coef_[0] / 2).astype(np.float16),
        "bias": (model.intercept_ / 2).astype(np.float32),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""

    def layer(folder: Path) -> dict[str, np.ndarray]:
        return fit(messages(folder), real_sentences(folder, _REAL))

    return store_layers("training.harm", __doc__, WEIGHTS, layer, arguments, "layer")


if __name__ == "__main__":
    raise SystemExit(main())
