"""The quality of a reader during training, on held-out topics."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anamnesis.models.reading import POLAR_OUTPUTS
from training.judged import Judged
from training.question_passages import QuestionPassage, Reading, whole_passage_reading
from training.reader import LEVEL, POLAR, Reader, predict


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """The share of pairs in which the positive one is higher; ties count as half."""
    high, low = np.asarray(positive)[:, None], np.asarray(negative)[None]
    return float(np.mean((high > low) + 0.5 * (high == low)))


def probe_of(
    asked: Sequence[QuestionPassage],
    messages: Sequence[Reading],
    window: int = 320,
    judged: Sequence[Judged] = (),
) -> Callable[[Reader, Any], dict[str, float]]:
    """Measures answerable questions against near misses, the best sentence, yes or no, and urgency.

    On judged messages: passages that help against others, and whether the first one helps.
    """
    readings = [whole_passage_reading(item) for item in asked]

    def probe(model: Reader, tokenizer: Any) -> dict[str, float]:
        outputs, sentences = predict(model, tokenizer, readings, window)
        by_kind: defaultdict[bool, list[float]] = defaultdict(list)
        best, polar, f1 = [], [], []
        for item, out, found in zip(asked, outputs, sentences, strict=True):
            by_kind[bool(item.answers)].append(float(out[0]))
            if not item.answers:
                continue
            best.append(int(np.argmax(found)) in item.answers)
            quoted = {place for place, value in enumerate(found) if value > 0}
            f1.append(2 * len(quoted & item.answers) / max(1, len(quoted) + len(item.answers)))
            verdict = POLAR_OUTPUTS[int(out[POLAR].argmax())]
            polar.append(verdict == (item.polar or "open"))
        figures = {
            "auroc": auroc(by_kind[True], by_kind[False]),
            "top_sentence": float(np.mean(best)),
            "sentence_f1": float(np.mean(f1)),
            "polar": float(np.mean(polar)),
        }
        if messages:
            levels, _ = predict(model, tokenizer, messages, window)
            chance = levels[:, LEVEL].softmax(1)[:, 0].numpy()
            level = np.array([item.level for item in messages])
            bound = np.quantile(chance[level == "routine"], 0.95)
            figures["emergencies at 5 %"] = float(np.mean(chance[level == "emergency"] > bound))
            figures["urgency"] = auroc(
                chance[level == "emergency"].tolist(), chance[level == "routine"].tolist()
            )
        if judged:
            figures |= _of_judged(model, tokenizer, judged, window)
        return {name: round(value, 4) for name, value in figures.items()}

    return probe


def _of_judged(
    model: Reader, tokenizer: Any, judged: Sequence[Judged], window: int
) -> dict[str, float]:
    pairs = [Reading(item.message, each.pieces) for item in judged for each in item.passages]
    outputs, _ = predict(model, tokenizer, pairs, window)
    chances = iter(outputs[:, 0].tolist())
    found = [[(next(chances), each.grade > 1) for each in item.passages] for item in judged]
    every = [pair for item in found for pair in item]
    first = [max(item)[1] for item in found if any(helps for _, helps in item)]
    return {
        "judged": auroc([c for c, helps in every if helps], [c for c, helps in every if not helps]),
        "judged first": float(np.mean(first)),
    }
