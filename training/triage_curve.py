"""What more messages would bring the triage: ``python -m training.triage_curve --data FOLDER``.

Each model is fitted on an eighth, a quarter, a half and all of the messages of all sets of
``training.urgent`` that are not held out, as written, with the turns of a conversation in the same
share: the layer on words (``training.wording``), the logistic regression on what the published
reader's encoder gives (as in ``training.ship_reader``), and the mean of the log-odds of both. A
smaller share is part of a larger one. Printed for the held-out messages and for those of
``benchmarks/short_messages.jsonl``: the share of emergencies whose probability is above that of
nineteen in twenty routine messages, and the AUROC of emergencies against routine messages. The
encoder itself has seen most of the messages, so its part of the curve is only that of its last
layer.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np

from anamnesis.errors import AnamnesisError
from anamnesis.models.folders import SHIPPED
from anamnesis.models.ngrams import counts
from anamnesis.models.reading import URGENCY_LEVELS
from anamnesis.models.wording import scaled
from evaluation.urgency import read_messages
from training import urgent
from training.question_passages import Reading
from training.ship_reader import load_shipped, pooled
from training.wording import matrix, rarity

SHARES = (1 / 8, 1 / 4, 1 / 2, 1)
FLAGGED = 0.05
"""The share of routine messages that may be taken for an emergency."""
_OTHERS = Path(__file__).parents[1] / "benchmarks" / "short_messages.jsonl"
_WINDOW = 512


def is_in(text: str, share: float) -> bool:
    """Whether a text belongs to this share of the texts, of which each larger share has it too."""
    # Not the bytes that decide what is held out.
    digest = blake2b(text.casefold().encode(), digest_size=8).digest()
    return int.from_bytes(digest[4:], "big") < share * 2**32


def recognised(odds: np.ndarray, levels: Sequence[str | None]) -> tuple[float, float]:
    """The share of emergencies above all but ``FLAGGED`` of the routine messages, and the AUROC.

    ``odds`` (n,) are the log-odds of an emergency.
    """
    from sklearn.metrics import roc_auc_score

    calm, loud = (
        odds[[level == wanted for level in levels]] for wanted in ("routine", "emergency")
    )
    least = np.quantile(calm, 1 - FLAGGED)
    labels = np.repeat([0, 1], [len(calm), len(loud)])
    return float((loud > least).mean()), float(roc_auc_score(labels, [*calm, *loud]))


def curve(
    trained: Sequence[Reading], aside: Mapping[str, Sequence[Reading]], read: Sequence[np.ndarray]
) -> Iterator[str]:
    """A line for each share and model.

    ``read`` are the encoder's outputs (n, hidden) for ``trained`` and for each set in ``aside``.
    """
    from sklearn.linear_model import LogisticRegression

    first, *others = read
    for share in SHARES:
        places = [n for n, item in enumerate(trained) if is_in(item.question, share)]
        texts = [trained[place].question for place in places]
        levels = [URGENCY_LEVELS.index(trained[place].level or "") for place in places]
        idf = rarity(texts)
        words = LogisticRegression(C=10, max_iter=2000).fit(
            matrix(scaled(counts(text), idf) for text in texts), levels
        )
        reader = LogisticRegression(C=3, max_iter=5000).fit(first[places], levels)
        for (name, items), vectors in zip(aside.items(), others, strict=True):
            features = matrix(scaled(counts(item.question), idf) for item in items)
            odds = {
                "words": _emergency(words.decision_function(features)),
                "reader": _emergency(reader.decision_function(vectors)),
            }
            odds["both"] = (odds["words"] + odds["reader"]) / 2
            wanted = [each.level for each in items]
            found = ((kind, *recognised(item, wanted)) for kind, item in odds.items())
            figures = ", ".join(
                f"{kind} {above:.3f} (AUROC {area:.3f})" for kind, above, area in found
            )
            yield f"{len(places)} messages ({share:.3f}), {name}: {figures}"


def _emergency(scores: np.ndarray) -> np.ndarray:
    """The log-odds (n,) of an emergency, from scores (n, 3) of the levels."""
    margin: np.ndarray = scores[:, 0] - np.logaddexp(scores[:, 1], scores[:, 2])
    return margin


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""
    parser = argparse.ArgumentParser(prog="python -m training.triage_curve", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    chosen = parser.parse_args(arguments)
    try:
        every = urgent.messages(chosen.data)
        trained = [item for item in every if not urgent.is_dev(item.question)]
        trained += [Reading(text, level="routine") for text in urgent.fragments(chosen.data)]
        others = [Reading(item.text, level=item.level) for item in read_messages(_OTHERS)]
        aside = {
            "held out": [item for item in every if urgent.is_dev(item.question)],
            "another writer": others,
        }
        model, tokenizer = load_shipped(SHIPPED)
        read = [
            pooled(model, tokenizer, items, _WINDOW).numpy() for items in (trained, *aside.values())
        ]
        for line in curve(trained, aside, read):
            print(line)
    except AnamnesisError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
