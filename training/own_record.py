"""The layer that finds questions about the user's own record: ``python -m training.own_record``.

Logistic regression on the embedder's vectors (``anamnesis.models.own_record``). ``own_record.tsv``
has questions that only the user's own words can answer, and similar questions that documents
answer; the questions and messages of ``asked`` and MeQSum are of the second kind. Prints the
figures of five-fold cross-validation.
"""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from anamnesis.models.embedding import load_embedder
from anamnesis.models.own_record import LEAST, WEIGHTS
from training.examples import records
from training.linear_layer import store_layer
from training.question_passages import read_question_passages

SENTENCES = Path(__file__).with_name("own_record.tsv")
_FOLDS = 5
_SEED = 7


def read(file: Path) -> tuple[list[str], np.ndarray]:
    """Questions and whether they are about the user's own record (n,)."""
    with file.open(encoding="utf-8", newline="") as stored:
        rows = list(csv.DictReader(stored, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [row["text"] for row in rows], np.array([row["label"] == "1" for row in rows])


def fit(
    folder: Path, sentences: Path = SENTENCES, least: float = LEAST, strength: float = 10
) -> tuple[np.ndarray, np.ndarray]:
    """Weight (dimensions,) and bias (1,); prints the figures of cross-validation.

    ``sentences`` is the file of the written questions, ``least`` the probability from which a
    question is taken for one of them, ``strength`` the inverse of the regularisation.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    written, labels = read(sentences)
    others = [item.question for item in read_question_passages(folder)]
    others += [row[key] for row in records(folder, "meqsum") for key in ("summary", "message")]
    texts = [*written, *others]
    about = np.concatenate([labels, np.zeros(len(others), bool)])
    vectors = load_embedder().embed_queries(texts)
    # The written sentences are few compared with the data sets, and are the hard ones.
    weights = np.where(np.arange(len(texts)) < len(written), 5.0, 1.0)
    model = LogisticRegression(C=strength, max_iter=5000)
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=_SEED)
    chances = cross_val_predict(
        model, vectors, about, cv=folds, method="predict_proba",
        params={"sample_weight": weights},
    )[:, 1]  # fmt: skip
    few = np.arange(len(texts)) < len(written)
    for name, part in (("such", about), ("like them", few & ~about), ("asked", ~few)):
        print(f"{name}: {part.sum()}, of these {(chances[part] >= least).mean():.4f} from {least}")
    model.fit(vectors, about, sample_weight=weights)
    return model.coef_[0].astype(np.float32), model.intercept_.astype(np.float32)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""
    return store_layer("training.own_record", __doc__, WEIGHTS, fit, arguments)


if __name__ == "__main__":
    raise SystemExit(main())
