"""Critics with scripted judgements, and what is measured of them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from anamnesis.entailment import Label
from anamnesis.errors import SettingError
from evaluation.critic import evaluate_critic, measures
from evaluation.reading import Pair
from evaluation.results import Execution
from tests.fakes import FakeCritic


def scripted(*script: tuple[float, float | None]) -> FakeCritic:
    """A critic that gives to each hypothesis, a number, the judgement at that place of a script."""
    return FakeCritic(lambda said, _: script[int(said)], "scripted")


def pairs(*labels: Label) -> list[Pair]:
    return [Pair("P", str(place), label) for place, label in enumerate(labels)]


def test_the_likeliest_of_three_labels_is_compared_with_the_right_one() -> None:
    critic = scripted((0.9, 0.0), (0.3, 0.3), (0.1, 0.8), (0.8, 0.1))
    data = pairs("entailment", "neutral", "contradiction", "neutral")
    result = evaluate_critic(critic, data, 0.7, Execution(resamples=50))
    found = {name: estimate.mean for name, estimate in result.metrics.items()}
    assert result.three_way
    assert result.labels == {"entailment": 1, "neutral": 2, "contradiction": 1}
    assert found["accuracy"] == 0.75
    assert found["macro_f1"] == pytest.approx((2 / 3 + 2 / 3 + 1) / 3)
    assert (found["precision_entailment"], found["recall_entailment"]) == (0.5, 1)
    assert (found["precision_neutral"], found["recall_neutral"]) == (1, 0.5)
    assert found["auroc"] == 1
    assert found["brier"] == pytest.approx((0.01 + 0.09 + 0.01 + 0.64) / 4)
    assert (found["binary_accuracy"], found["binary_precision"]) == (0.75, 0.5)
    assert (found["coverage@0.7"], found["risk@0.7"]) == (0.5, 0.5)
    assert (found["coverage@0.9"], found["risk@0.9"]) == (0.25, 0)
    # Confidences .9, .4, .8 and .8, the last of them wrong.
    assert found["ece"] == pytest.approx((0.1 + 0.6 + abs(1.6 - 1)) / 4)
    for metric in result.metrics.values():
        assert metric.low <= metric.mean <= metric.high


def test_a_critic_without_contradiction_gets_binary_metrics_only() -> None:
    critic = scripted((0.9, None), (0.3, None))
    result = evaluate_critic(
        critic, pairs("entailment", "contradiction"), 0.5, Execution(resamples=50)
    )
    assert not result.three_way
    for absent in ("accuracy", "macro_f1", "ece", "f1_entailment"):
        assert absent not in result.metrics
    assert result.metrics["binary_accuracy"].mean == 1
    assert result.metrics["binary_f1"].mean == 1
    assert any("no three-way metrics" in note for note in result.notes)


def test_two_labels_keep_the_three_way_prediction_and_the_report_says_so() -> None:
    critic = scripted((0.9, 0.0), (0.1, 0.1))
    result = evaluate_critic(
        critic, pairs("entailment", "contradiction"), 0.5, Execution(resamples=50)
    )
    assert result.metrics["accuracy"].mean == 0.5
    assert "f1_neutral" not in result.metrics
    assert result.metrics["macro_f1"].mean == pytest.approx(0.5)
    assert result.notes == [
        "labels that occur: entailment 1, contradiction 1",
        "not in the data, so wrong where predicted: neutral",
    ]


def test_what_is_undefined_is_left_out() -> None:
    critic = scripted((0.2, 0.1), (0.3, 0.1))
    result = evaluate_critic(critic, pairs("neutral", "neutral"), 0.5, Execution(resamples=50))
    for absent in ("auroc", "risk@0.5", "binary_precision", "binary_recall", "f1_entailment"):
        assert absent not in result.metrics
    assert result.metrics["coverage@0.5"].mean == 0


def test_a_contradiction_that_exceeds_the_support_is_never_accepted() -> None:
    found = measures(np.array([2, 0]), np.array([0.8, 0.8]), np.array([0.9, 0.1]), 0)
    assert (found["coverage@0"], found["risk@0"]) == (0.5, 0)
    assert found["auroc"] == 0.5
    assert found["aurc"] == 0.25


def test_the_threshold_of_the_application_is_among_those_reported() -> None:
    result = evaluate_critic(
        scripted((0.4, 0.0)), pairs("entailment"), 0.35, Execution(resamples=9)
    )
    assert result.metrics["coverage@0.35"].mean == 1
    assert result.metrics["coverage@0.5"].mean == 0


def test_many_pairs_are_judged_in_batches_and_progress_is_reported() -> None:
    reported: list[tuple[int, int]] = []
    critic = scripted(*[(0.9, 0.0)] * 600)
    evaluate_critic(
        critic,
        pairs(*["entailment"] * 600),
        0.5,
        Execution(resamples=2, progress=lambda done, total: reported.append((done, total))),
    )
    assert reported[-1] == (600, 600)
    assert len(reported) > 1


def test_the_same_seed_gives_the_same_intervals() -> None:
    critic = scripted((0.9, 0.0), (0.7, 0.1), (0.1, 0.8), (0.8, 0.1))
    data = pairs("entailment", "neutral", "contradiction", "neutral")
    first, again, other = (
        evaluate_critic(critic, data, 0.7, Execution(seed=seed, resamples=50)).metrics
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_no_pairs_and_no_threshold_are_refused(threshold: float) -> None:
    with pytest.raises(SettingError, match="0 pairs"):
        evaluate_critic(scripted(), [], 0.5)
    with pytest.raises(SettingError, match="threshold"):
        evaluate_critic(scripted((0.5, 0.1)), pairs("neutral"), threshold)


def test_with_checks_a_pair_is_shown_as_the_graph_would_show_it() -> None:
    page = "Adults take 500 mg of paracetamol, which lowers a fever."
    data = [
        Pair(page, "Paracetamol lowers a fever in adults.", "entailment"),
        Pair(page, "Adults take 500 mg of paracetamol to lower a fever.", "entailment"),
        Pair(page, "Adults take 800 mg of paracetamol for a fever.", "contradiction"),
        Pair(page, "Adults take paracetamol for a cough.", "neutral"),
        # What a page says word for word needs no critic.
        Pair(page, page, "entailment"),
    ]
    critic = known({pair.hypothesis: 0.9 for pair in data[:3]})
    alone = evaluate_critic(critic, data, 0.5, Execution(resamples=50))
    result = evaluate_critic(critic, data, 0.5, Execution(resamples=50), checks=True)
    # The critic takes 800 mg for 500 mg; the check of numbers does not.
    assert [row["support"] >= 0.5 for row in result.rows] == [True, True, True, False, False]
    assert [row["shown"] for row in result.rows] == [True, True, False, False, True]
    found = {name: estimate.mean for name, estimate in result.metrics.items()}
    assert (found["kept"], found["passed"]) == (1.0, 0.0)
    for name in ("kept", "passed"):
        estimate = result.metrics[name]
        assert estimate.low <= estimate.mean <= estimate.high
        assert name not in alone.metrics
    assert "shown" not in alone.rows[0]
    assert alone.metrics.items() <= result.metrics.items()


def test_one_of_several_premises_is_enough_and_the_threshold_decides() -> None:
    pages = ("Gout is a kind of arthritis.", "Measles is a viral disease that spreads by air.")
    data = [
        Pair(pages[0], "A virus causes measles.", "entailment", pages[1:]),
        Pair(pages[0], "One kind of arthritis is gout.", "neutral", pages[1:]),
    ]
    critic = known({(data[0].hypothesis, pages[1]): 0.8, (data[1].hypothesis, pages[0]): 0.6})
    rows = evaluate_critic(critic, data, 0.5, Execution(resamples=9)).rows
    assert [row["support"] for row in rows] == [0.8, 0.6]
    for tau, shown in ((0.5, [True, True]), (0.7, [True, False]), (0.9, [False, False])):
        rows = evaluate_critic(critic, data, tau, Execution(resamples=9), checks=True).rows
        assert [row["shown"] for row in rows] == shown


def test_no_pair_is_judged_twice_for_the_checks() -> None:
    data = [Pair("Gout hurts a lot.", "Gout is painful.", "entailment")] * 3
    critic = known({"Gout is painful.": 0.9})
    evaluate_critic(critic, data, 0.5, Execution(resamples=9), checks=True)
    assert len(critic.asked) == 3


def known(table: Mapping[Any, float]) -> FakeCritic:
    """A critic that gives to a statement, or to one with its premise, the support of a table."""
    return FakeCritic(lambda said, text: table.get((said, text), table.get(said, 0.0)))
