"""How well readings and claims that are held out are judged."""

from collections import defaultdict
from collections.abc import Sequence
from math import log2

import numpy as np
from torch import Tensor

from training.distil.learn import Outputs
from training.distil.texts import Claim, Reading


def auroc(chances: Sequence[float], right: Sequence[bool]) -> float:
    """The share of pairs of a right and a wrong one in which the right one is higher."""
    high = np.array([c for c, yes in zip(chances, right, strict=True) if yes])
    low = np.sort([c for c, yes in zip(chances, right, strict=True) if not yes])
    if not len(high) or not len(low):
        return float("nan")
    places = np.searchsorted(low, high, "left") + np.searchsorted(low, high, "right")
    return float(places.mean() / 2 / len(low))


def of_readings(name: str, rows: Sequence[Reading], found: Outputs) -> dict[str, float]:
    """AUROC of relevance; in groups whether the first passage helps and nDCG; the best sentence."""
    if name == "levels":
        chance = found.whole[:, 5:8].softmax(1)[:, 0].numpy()
        level = np.array([item.level for item in rows])
        bound = np.quantile(chance[level == 2], 0.95)
        return {"emergencies at 5 %": round(float((chance[level == 0] > bound).mean()), 3)}
    chances = found.whole[:, 0].tolist()
    helps = [item.relevance > 0.5 for item in rows]
    measured = {f"{name} auroc": auroc(chances, helps)}
    answered = [
        (sentences, item.answers)
        for item, sentences in zip(rows, found.sentences, strict=True)
        if item.answers and sentences
    ]
    if answered:
        best = [int(np.argmax(said)) + 1 in answers for said, answers in answered]
        measured[f"{name} sentence"] = float(np.mean(best))
    groups: defaultdict[int, list[tuple[float, float]]] = defaultdict(list)
    for item, chance in zip(rows, chances, strict=True):
        if item.group >= 0:
            groups[item.group].append((chance, item.relevance))
    able = [item for item in groups.values() if max(grade for _, grade in item) > 0.5]
    if able:
        measured[f"{name} first"] = float(np.mean([max(item)[1] > 0.5 for item in able]))
        measured[f"{name} ndcg"] = float(np.mean([_ndcg(item) for item in able]))
        measured[f"{name} within"] = float(np.nanmean([
            auroc([c for c, _ in item], [grade > 0.5 for _, grade in item]) for item in able
        ]))  # fmt: skip
    return {key: round(value, 3) for key, value in measured.items()}


def _ndcg(found: Sequence[tuple[float, float]]) -> float:
    """nDCG@10 of the grades 0 to 3, which are thirds here."""

    def gain(grades: Sequence[float]) -> float:
        return sum(float(2 ** (3 * g) - 1) / log2(at + 2) for at, g in enumerate(grades[:10]))

    ranked = [grade for _, grade in sorted(found, reverse=True)]
    return gain(ranked) / gain(sorted(ranked, reverse=True))


def of_claims(name: str, rows: Sequence[Claim], outputs: Tensor) -> dict[str, float]:
    """Accuracy, AUROC of entailment, and the share kept where 5 % of the others pass."""
    support = outputs[:, 1:].softmax(1)
    true = np.array([item.label == 0 for item in rows])
    chance = support[:, 0].numpy()
    bound = np.quantile(chance[~true], 0.95)
    guessed = support.argmax(1).numpy()
    return {
        f"{name} accuracy": round(float(np.mean(guessed == [item.label for item in rows])), 3),
        f"{name} auroc": round(auroc(chance.tolist(), true.tolist()), 3),
        f"{name} kept at 5 %": round(float((chance[true] > bound).mean()), 3),
    }
