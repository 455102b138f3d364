"""The project's cross-encoder with 8-bit integers and in single precision: speed and agreement.

    python -m benchmarks.classifier [--data DIR] [--model FOLDER]

Printed: the median milliseconds for ten pairs of about 256 tokens, and on 400 pairs of HealthVer's
dev part the accuracy of both, how often they agree, and the difference of their probabilities.
"""

import json
import time
from pathlib import Path

import numpy as np

from anamnesis.entailment import LABELS
from anamnesis.models.classifier import OnnxClassifier
from anamnesis.models.folders import SHIPPED
from anamnesis.models.labels import read_labels, softmax
from benchmarks.command_line import command_line
from evaluation.reading import read_pairs

PAIRS, WORDS, ROUNDS = 400, 185, 5


def main() -> None:
    options = command_line(__doc__, "data")
    options.add_argument("--model", type=Path, default=SHIPPED)
    chosen = options.parse_args()
    config = json.loads((chosen.model / "config.json").read_text(encoding="utf-8"))
    pairs = read_pairs(chosen.data / "nli_healthver.jsonl.gz", "dev")[:PAIRS]
    words = " ".join(pair.premise for pair in pairs).split()
    passages = [" ".join(words[n * WORDS : (n + 1) * WORDS]) for n in range(10)]
    asked = [("What are the symptoms in children?", text) for text in passages]
    models = {p: OnnxClassifier(chosen.model, config, p) for p in ("int8", "float32")}
    lengths = [sum(models["int8"].count_tokens(pair)) + 3 for pair in asked]
    print(f"ten pairs of {min(lengths)} to {max(lengths)} tokens, cut at {models['int8'].window}")
    times: dict[str, list[float]] = {name: [] for name in models}
    for _ in range(ROUNDS):
        for name, model in models.items():
            start = time.perf_counter()
            model.logits(asked)
            times[name].append((time.perf_counter() - start) * 1000)
    labels = read_labels([label.casefold() for label in models["int8"].labels], str(chosen.model))
    right = np.array([LABELS.index(pair.label) for pair in pairs])
    found = {
        name: softmax(
            model.logits([(p.premise, p.hypothesis) for p in pairs])[:, labels.alternatives]
        )
        for name, model in models.items()
    }
    for name, probabilities in found.items():
        correct = (probabilities.argmax(1) == right).mean()
        print(f"{name:8} {np.median(times[name]):6.0f} ms, accuracy {correct:.3f}")
    apart = np.abs(found["int8"] - found["float32"])
    same = (found["int8"].argmax(1) == found["float32"].argmax(1)).mean()
    print(
        f"same label {same:.1%}; probabilities apart {apart.mean():.3f}, at most {apart.max():.2f}"
    )


if __name__ == "__main__":
    main()
