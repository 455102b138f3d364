"""The layer that finds the first-aid page for an emergency: ``python -m training.first_aid``.

    python -m training.first_aid --data FOLDER

Multinomial logistic regression (``anamnesis.models.first_aid_pages``) on the emergencies of
``training.urgent`` other than self-harm, on those of ``first_aid_messages.tsv``, and on a sample of
the messages that are no emergency, which no page fits.
``first_aid_pages.tsv`` has the page for each of the former, by the digest of the message: two
readers labelled one half each, and agree on 145 of 150.
`python -m benchmarks.first_aid` measures it on held-out messages and on those of other writers.
"""

import csv
import random
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np

from anamnesis.models.embedding import load_embedder
from anamnesis.models.first_aid_pages import NO_PAGE, PAGES, WEIGHTS, inputs, words
from training import urgent
from training.linear_layer import store_layers

LABELS = Path(__file__).with_name("first_aid_pages.tsv")
OWN = Path(__file__).with_name("first_aid_messages.tsv")
"""Further emergencies, most of them for pages that fit few of the others; written for this
project."""
_STRENGTH = 5.0
"""The inverse of the regularisation, as in scikit-learn."""
_CALM = 600
"""Messages that are no emergency, as messages that no page fits: a page would not answer them."""
_SEED = 83
_SEEN = 2
"""Messages that must have a feature of the words for it to count."""


def digest(message: str) -> str:
    """The name of a message in the tables of pages."""
    return blake2b(message.encode("utf-8", "replace"), digest_size=8).hexdigest()


def labels(file: Path) -> dict[str, str]:
    """The page of each message of a table, by its digest: the id of a record, or
    ``anamnesis.models.first_aid_pages.NO_PAGE``."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t")
        return {row["message"]: row["page"] for row in rows}


def labelled(folder: Path) -> dict[str, str]:
    """The messages with their pages: those of ``training.urgent`` that have one, then ``OWN``."""
    known = labels(LABELS)
    texts = dict.fromkeys(item.question for item in urgent.messages(folder))
    found = {text: known[digest(text)] for text in texts if digest(text) in known}
    with OWN.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return found | {row["text"]: row["page"] for row in rows}


def calm(folder: Path) -> list[str]:
    """Messages that are neither an emergency nor about self-harm, not held out, at random."""
    found = sorted(
        {
            item.question
            for item in urgent.messages(folder)
            if item.level != "emergency" and not item.kind and not urgent.is_dev(item.question)
        }
    )
    return random.Random(_SEED).sample(found, min(_CALM, len(found)))


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""
    metadata: dict[str, str] = {}

    def layers(folder: Path) -> dict[str, np.ndarray]:
        given = [item for item in labelled(folder).items() if not urgent.is_dev(item[0])]
        given += [(text, NO_PAGE) for text in calm(folder)]
        found, names = fit([text for text, _ in given], [page for _, page in given])
        metadata[PAGES] = ",".join(names)
        return found

    return store_layers(
        "training.first_aid", __doc__, WEIGHTS, layers, arguments, "layer", metadata
    )


if __name__ == "__main__":
    raise SystemExit(main())
