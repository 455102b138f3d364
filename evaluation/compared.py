"""Comparison of results: paired tests on the questions that two of them have in common."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from evaluation.significance import Estimate, holm, mcnemar, mean_intervals, randomisation_test

Scores = Mapping[str, float]


class System(NamedTuple):
    """One measured system: its name, its metric, and its score for each question.

    ``questions`` is the question set that the keys belong to; only equal sets can be compared.
    ``groups`` has the group of each question that is not independent of others (``Query``).
    """

    name: str
    metric: str
    questions: str
    scores: Scores
    groups: Mapping[str, str] = {}


class Side(NamedTuple):
    """``second`` minus ``first`` on their common questions, with p corrected for all tests."""

    first: str
    second: str
    metric: str
    common: int
    difference: Estimate
    p: float
    p_holm: float


def systems(name: str, result: Mapping[str, Any]) -> list[System]:
    """The systems of a result, each with a score for each question; none if there are no rows.

    Scores: nDCG@10 for retrieval, whether the answer is right for multiple choice, whether exactly
    the entailed pairs pass for a critic, and the grade of the first cited source for helpfulness.
    """
    rows, setup = result.get("per_question", []), result["configuration"]
    found: dict[str, dict[str, float]] = {}
    if result["protocol"] in ("retrieval", "behaviour"):
        for row in rows:
            for method, item in row["metrics"].items():
                found.setdefault(method, {})[row["id"]] = item["ndcg@10"]
        questions = " ".join(
            [
                setup["queries"]["sha256"],
                setup["corpus"]["sha256"],
                setup["protocol"],
                setup["gain"],
            ]
        )
        metric = "ndcg@10"
    elif result["protocol"] == "answers":
        times = Counter(row["text"] for row in rows)
        for number, row in enumerate(rows):
            # Several questions can have the same text but different options.
            key = row["text"] if times[row["text"]] == 1 else f"{number} {row['text']}"
            for system, chosen in row["chose"].items():
                right = float(chosen == row["answer"])
                found.setdefault(system, {})[key] = right
        questions, metric = setup["questions"]["sha256"], "accuracy"
    elif result["protocol"] == "critic":
        split, tau = setup["pairs"]["split"], setup["threshold"]
        questions, metric = f"{setup['pairs']['sha256']} {split}", "binary_accuracy"
        for number, row in enumerate(rows):
            passed = row["support"] >= tau and (row["contradiction"] or 0) <= row["support"]
            right = passed == (row["label"] == "entailment")
            found.setdefault(setup["critic"]["name"], {})[str(number)] = float(right)
    elif result["protocol"] == "helpfulness":
        questions = f"{setup['queries']['sha256']} {setup['corpus']['sha256']}"
        metric = "score"
        found["answers"] = {row["id"]: float(row["grade"] or 0) for row in rows}
    else:
        return []
    groups = {row["id"]: row["group"] for row in rows if row.get("group") is not None}
    return [
        System(f"{name}: {item}", metric, questions, scores, groups)
        for item, scores in found.items()
    ]


def sides(results: Sequence[Sequence[System]], seed: int = 0) -> list[Side]:
    """Compare every system of one result with every one of the others with the same question set.

    Scores of 0 and 1 are compared with McNemar's test, others with the paired randomisation test; p
    is corrected for all tests with Holm's method.
    """
    pairs = [
        (first, second)
        for one, other in combinations(results, 2)
        for first in one
        for second in other
        if (first.metric, first.questions) == (second.metric, second.questions)
        and first.scores.keys() & second.scores.keys()
    ]
    tests = []
    for first, second in pairs:
        common = sorted(first.scores.keys() & second.scores.keys())
        old, new = (np.array([item.scores[key] for key in common]) for item in (first, second))
        binary = first.metric != "ndcg@10"
        groups = [first.groups.get(key, key) for key in common] if first.groups else None
        p = mcnemar(old, new) if binary else randomisation_test(new - old, seed, groups=groups)
        difference = mean_intervals({"difference": new - old}, seed, groups=groups)["difference"]
        tests.append((first, second, len(common), difference, p))
    corrected = holm([item[-1] for item in tests])
    return [
        Side(first.name, second.name, first.metric, common, difference, p, item)
        for (first, second, common, difference, p), item in zip(tests, corrected, strict=True)
    ]
