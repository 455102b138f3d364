"""The layer that finds messages of self-harm: ``python -m training.harm --data FOLDER``.

Logistic regression on the embedder's vectors (``anamnesis.models.harm``) of the messages in
``training.urgent``. The sentences of the other messages are further negatives, because the layer
also reads the sentences of a long message. Prints the figures on held-out messages.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from anamnesis.errors import AnamnesisError
from anamnesis.models.embedding import load_embedder
from anamnesis.models.folders import OWN
from anamnesis.models.harm import WEIGHTS, parts
from training.asked import Reading
from training.urgent import is_dev, messages


def fit(found: Sequence[Reading]) -> tuple[np.ndarray, np.ndarray]:
    """Weight (dimensions,) and bias (1,)."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    embedder = load_embedder()
    trained = [item for item in found if not is_dev(item.question)]
    others = [text for item in trained if item.kind != "self-harm" for text in parts(item.question)]
    vectors = embedder.embed_queries([*(item.question for item in trained), *others])
    labels = np.array([item.kind == "self-harm" for item in trained] + [False] * len(others))
    model = LogisticRegression(max_iter=3000).fit(vectors, labels)
    aside = [item for item in found if is_dev(item.question)]
    wanted = [item.kind == "self-harm" for item in aside]
    chances = model.predict_proba(embedder.embed_queries([item.question for item in aside]))[:, 1]
    print(
        f"kept aside: {sum(wanted)} of {len(aside)} messages are of self-harm; AUROC "
        f"{roc_auc_score(wanted, chances):.3f}"
    )
    return model.coef_[0].astype(np.float32), model.intercept_.astype(np.float32)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""
    from safetensors.numpy import save_file

    parser = argparse.ArgumentParser(prog="python -m training.harm", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--out", type=Path, default=OWN, help="folder of the finished layer")
    chosen = parser.parse_args(arguments)
    try:
        weight, bias = fit(messages(chosen.data))
    except AnamnesisError as error:
        print(error, file=sys.stderr)
        return 1
    save_file({"weight": weight, "bias": bias}, chosen.out / WEIGHTS)
    print(f"{chosen.out / WEIGHTS}: {(chosen.out / WEIGHTS).stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
