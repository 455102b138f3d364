"""Comparison of results: paired tests on the questions that two of them have in common."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from evaluation.significance import Estimate, holm, mcnemar, mean_intervals, randomisation_test

Scores = Mapping[str, float]


class System(NamedTuple):
    """One measured system: its name, its metric, and its score for each question.

    ``questions`` is the question set that the keys belong to; only equal sets can be compared.
    ``groups`` has the group of each question that is not independent of others (``Query``);
    ``binary`` is whether every score is 0 or 1.
    """

    name: str
    metric: str
    questions: str
    scores: Scores
    groups: Mapping[str, str] = {}
    binary: bool = False


class QuestionScores(NamedTuple):
    """The scores of a result by system, then by question; the other fields are those of System."""

    metric: str
    questions: str
    by_system: Mapping[str, Scores]
    binary: bool = False


Compared = Callable[[Mapping[str, Any]], QuestionScores]
"""Takes from a result of a protocol, which has rows, what it is compared by."""


class Side(NamedTuple):
    """``second`` minus ``first`` on their common questions, with p corrected for all tests."""

    first: str
    second: str
    metric: str
    common: int
    difference: Estimate
    p: float
    p_holm: float


def systems(name: str, result: Mapping[str, Any], compared: Compared | None) -> list[System]:
    """The systems of a result, each with a score for each question.

    ``compared`` takes the scores from a result of this protocol. There are none without it, or if
    the result has no rows.
    """
    if compared is None or not result.get("per_question"):
        return []
    rows, found = result["per_question"], compared(result)
    groups = {row["id"]: row["group"] for row in rows if row.get("group") is not None}
    return [
        System(f"{name}: {item}", found.metric, found.questions, scores, groups, found.binary)
        for item, scores in found.by_system.items()
    ]


def of_ranking(result: Mapping[str, Any]) -> QuestionScores:
    """nDCG@10 of each method of retrieval."""
    setup = result["configuration"]
    found: dict[str, dict[str, float]] = {}
    for row in result["per_question"]:
        for method, item in row["metrics"].items():
            found.setdefault(method, {})[row["id"]] = item["ndcg@10"]
    asked = [setup["queries"]["sha256"], setup["corpus"]["sha256"]]
    questions = " ".join([*asked, setup["protocol"], setup["gain"]])
    return QuestionScores("ndcg@10", questions, found)


def of_answers(result: Mapping[str, Any]) -> QuestionScores:
    """Whether the chosen option is the right one."""
    rows, found = result["per_question"], dict[str, dict[str, float]]()
    times = Counter(row["text"] for row in rows)
    for number, row in enumerate(rows):
        # Several questions can have the same text but different options.
        key = row["text"] if times[row["text"]] == 1 else f"{number} {row['text']}"
        for system, chosen in row["chose"].items():
            found.setdefault(system, {})[key] = float(chosen == row["answer"])
    questions = result["configuration"]["questions"]["sha256"]
    return QuestionScores("accuracy", questions, found, binary=True)


def of_critic(result: Mapping[str, Any]) -> QuestionScores:
    """Whether exactly the entailed pairs pass."""
    setup, found = result["configuration"], dict[str, float]()
    for number, row in enumerate(result["per_question"]):
        passed = (
            row["support"] >= setup["threshold"] and (row["contradiction"] or 0) <= row["support"]
        )
        found[str(number)] = float(passed == (row["label"] == "entailment"))
    questions = f"{setup['pairs']['sha256']} {setup['pairs']['split']}"
    by_system = {setup["critic"]["name"]: found}
    return QuestionScores("binary_accuracy", questions, by_system, binary=True)


def of_helpfulness(result: Mapping[str, Any]) -> QuestionScores:
    """The grade of the first cited source, 0 without one."""
    setup = result["configuration"]
    questions = f"{setup['queries']['sha256']} {setup['corpus']['sha256']}"
    grades = {row["id"]: float(row["grade"] or 0) for row in result["per_question"]}
    return QuestionScores("score", questions, {"answers": grades})


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
        groups = [first.groups.get(key, key) for key in common] if first.groups else None
        if first.binary:
            p = mcnemar(old, new)
        else:
            p = randomisation_test(new - old, seed, groups=groups)
        difference = mean_intervals({"difference": new - old}, seed, groups=groups)["difference"]
        tests.append((first, second, len(common), difference, p))
    corrected = holm([item[-1] for item in tests])
    return [
        Side(first.name, second.name, first.metric, common, difference, p, item)
        for (first, second, common, difference, p), item in zip(tests, corrected, strict=True)
    ]
