"""What results have in common, and how they are compared."""

from typing import Any

import pytest

from evaluation import compared
from evaluation.compared import System, sides
from evaluation.page import page
from tests.evaluation.test_evaluation_page import PARTS, answers, critic, retrieval


def systems(name: str, result: dict[str, Any]) -> list[System]:
    return compared.systems(name, result, PARTS[result["protocol"]].compared)


def test_two_results_are_tested_on_the_same_questions() -> None:
    old, new = systems("old", retrieval()), systems("new", retrieval(better=0.1))
    assert [system.name for system in old] == ["old: sparse", "old: dense"]
    found = {(side.first, side.second): side for side in sides([old, new])}
    assert len(found) == 4
    side = found["old: sparse", "new: sparse"]
    assert (side.common, side.difference.mean) == (10, pytest.approx(0.1))
    assert side.p == pytest.approx(2 / 2**10, abs=0.001)  # ten equal signs of ten
    assert side.p_holm == pytest.approx(4 * side.p)
    assert found["old: dense", "new: dense"].p == 1
    assert "Side by side" in page({"old": retrieval(), "new": retrieval(better=0.1)}, PARTS)


def test_what_was_asked_otherwise_is_not_compared() -> None:
    one, other = systems("a", retrieval()), systems("b", retrieval("judged"))
    assert sides([one, other]) == []
    assert sides([one, systems("c", critic())]) == []
    assert systems("d", {"protocol": "robustness", "configuration": {}}) == []


def test_critics_and_answers_are_scored_by_what_is_right() -> None:
    [judged] = systems("a", critic())
    assert list(judged.scores.values()) == [1, 0, 1, 0]
    [chosen] = systems("a", answers())
    assert chosen == System(
        "a: no facts", "accuracy", "a", {"0": 0, "1": 1, "2": 1, "3": 1}, {}, True
    )


def test_only_scores_of_0_and_1_are_compared_by_mcnemars_test(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compared, "mcnemar", lambda *_: 0.125)
    old, new = (System(name, "grade", "q", {"1": 0.0, "2": 1.0}) for name in ("old", "new"))
    assert sides([[old], [new]])[0].p == 1
    assert sides([[item._replace(binary=True)] for item in (old, new)])[0].p == 0.125


def test_questions_with_the_same_text_are_all_compared() -> None:
    result = answers()
    result["per_question"] += result["per_question"][:2]
    [chosen] = systems("a", result)
    assert sorted(chosen.scores.values()) == [0, 0, 1, 1, 1, 1]


def test_questions_of_one_group_are_flipped_together() -> None:
    old, new = retrieval(), retrieval(better=0.1)
    for result in (old, new):
        for number, row in enumerate(result["per_question"]):
            row["group"] = "one" if number < 9 else "other"
    found = {
        (side.first, side.second): side
        for side in sides([systems("old", old), systems("new", new)])
    }
    assert found["old: sparse", "new: sparse"].p == pytest.approx(0.5, abs=0.02)  # two signs
