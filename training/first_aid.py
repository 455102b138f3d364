"""The layer that finds the first-aid page for an emergency: ``python -m training.first_aid``.

    python -m training.first_aid --data FOLDER

Multinomial logistic regression (``anamnesis.models.first_aid_pages``) on the emergencies of
``training.urgent`` other than self-harm. ``first_aid_pages.tsv`` has the page for each, by the
digest of the message; of two readers each labelled one half, and they agreed on 145 of 150. Prints
the figures on held-out messages; `python -m benchmarks.first_aid` measures it on other writers'.
"""

import csv
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np

from anamnesis.models.embedding import load_embedder
from anamnesis.models.first_aid_pages import COLUMNS, NO_PAGE, PAGES, WEIGHTS, inputs, words
from nodes.writing.first_aid import LEAST
from training import urgent
from training.linear_layer import store_layers

LABELS = Path(__file__).with_name("first_aid_pages.tsv")
_STRENGTH = 5.0
"""The inverse of the regularisation, as in scikit-learn."""
_SEEN = 2
"""Messages that must have a feature of the words for it to count."""


def digest(message: str) -> str:
    """The name of a message in the tables of pages."""
    return blake2b(message.encode("utf-8", "replace"), digest_size=8).hexdigest()


def labels(file: Path) -> dict[str, str]:
    """The page of each message of a table, by its digest: the id of a record, or ``NO_PAGE``."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t")
        return {row["message"]: row["page"] for row in rows}


def fit(messages: Sequence[str], pages: Sequence[str]) -> tuple[dict[str, np.ndarray], list[str]]:
    """The layer as ``anamnesis.models.first_aid_pages`` stores it, and the names of its pages."""
    from sklearn.linear_model import LogisticRegression

    counted = np.stack([words(text) for text in messages])
    seen = (counted > 0).sum(0)
    idf = np.where(seen >= _SEEN, np.log((1 + len(messages)) / (1 + seen)) + 1, 0)
    vectors = load_embedder().embed_queries(list(messages))
    rows = [inputs(*pair, idf) for pair in zip(vectors, counted, strict=True)]
    model = LogisticRegression(C=_STRENGTH, max_iter=1000).fit(np.stack(rows), list(pages))
    layers = {
        "weight": model.coef_.astype(np.float16),
        "bias": model.intercept_.astype(np.float32),
        "idf": idf.astype(np.float16),
    }
    return layers, [str(name) for name in model.classes_]


def measured(found: Sequence[tuple[Mapping[str, float], str]], least: float = LEAST) -> str:
    """How many messages get a page, how often it is the right one, and for how many there is one.

    ``found`` are the probabilities of the pages, and the right page, of each message.
    """
    fitting = sum(page != NO_PAGE for _, page in found)
    shown = right = 0
    for chances, page in found:
        best = max((name for name in chances if name != NO_PAGE), key=lambda name: chances[name])
        if chances[best] >= least:
            shown += 1
            right += best == page
    return f"{len(found)} messages, {fitting} with a page: shown for {shown}, the right one {right}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""
    names: list[str] = []

    def layers(folder: Path) -> dict[str, np.ndarray]:
        known = labels(LABELS)
        texts = [text for text in dict.fromkeys(item.question for item in urgent.messages(folder))]
        own = [(text, known[digest(text)]) for text in texts if digest(text) in known]
        given = [item for item in own if not urgent.is_dev(item[0])]
        found, names[:] = fit([text for text, _ in given], [page for _, page in given])
        return found

    return store_layers(
        "training.first_aid", __doc__, WEIGHTS, layers, arguments, "layer", lambda: {PAGES: names}
    )


if __name__ == "__main__":
    raise SystemExit(main())
