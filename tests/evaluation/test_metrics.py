import math
from collections.abc import Callable

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics import Gain, hit, ndcg, precision, recall, reciprocal_rank

RANKED = ["a", "b", "c", "d"]
GRADES = {"b": 2, "d": 1, "e": 1, "a": 0, "c": -2}

documents = st.lists(st.sampled_from("abcdefghijklmnop"), unique=True)
judgements = st.dictionaries(st.sampled_from("abcdefghijklmnop"), st.integers(-2, 4))
gains = st.sampled_from(["linear", "exponential"])


def test_ndcg_discounts_grades_by_rank() -> None:
    best = 2 + 1 / math.log2(3) + 1 / 2
    assert ndcg(RANKED, GRADES) == pytest.approx((2 / math.log2(3) + 1 / math.log2(5)) / best)


def test_exponential_gain_counts_high_grades_for_more() -> None:
    best = 3 + 1 / math.log2(3) + 1 / 2
    expected = (3 / math.log2(3) + 1 / math.log2(5)) / best
    assert ndcg(RANKED, GRADES, gain="exponential") == pytest.approx(expected)


def test_only_the_places_before_the_cut_count() -> None:
    assert ndcg(RANKED, GRADES, cut=1) == 0
    assert ndcg(RANKED, {"b": 1}, cut=2) == pytest.approx(1 / math.log2(3))
    assert reciprocal_rank(RANKED, GRADES, cut=1) == 0
    assert recall(RANKED, GRADES, cut=2) == pytest.approx(1 / 3)
    assert precision(RANKED, GRADES, cut=2) == 0.5


def test_the_first_relevant_document_gives_the_reciprocal_rank() -> None:
    assert reciprocal_rank(RANKED, GRADES) == 0.5
    assert hit(RANKED, GRADES) == 0
    assert hit(RANKED, GRADES, cut=2) == 1


def test_precision_is_of_all_places_and_recall_of_all_relevant_documents() -> None:
    assert precision(RANKED, GRADES) == pytest.approx(0.2)
    assert recall(RANKED, GRADES) == pytest.approx(2 / 3)


@pytest.mark.parametrize("metric", [ndcg, reciprocal_rank, precision, recall, hit])
def test_where_nothing_is_found_or_relevant_a_metric_is_0(metric: Callable[..., float]) -> None:
    assert metric([], GRADES) == 0
    assert metric(RANKED, {}) == 0
    assert metric(RANKED, {"a": 0, "b": -1}) == 0


@given(documents, judgements, gains, st.integers(1, 12))
def test_every_metric_lies_in_0_to_1(
    ranked: list[str], relevant: dict[str, int], gain: Gain, cut: int
) -> None:
    for value in (
        ndcg(ranked, relevant, cut, gain),
        reciprocal_rank(ranked, relevant, cut),
        precision(ranked, relevant, cut),
        recall(ranked, relevant, cut),
        hit(ranked, relevant, cut),
    ):
        assert 0 <= value <= 1 + 1e-12


@given(judgements, gains)
def test_the_perfect_order_has_ndcg_1(relevant: dict[str, int], gain: Gain) -> None:
    perfect = sorted(relevant, key=lambda key: -relevant[key])
    some = any(grade > 0 for grade in relevant.values())
    assert ndcg(perfect, relevant, gain=gain) == pytest.approx(float(some))


@given(documents.filter(lambda ranked: len(ranked) > 1), judgements, gains, st.data())
def test_moving_a_better_document_up_never_lowers_ndcg(
    ranked: list[str], relevant: dict[str, int], gain: Gain, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(ranked) - 2))
    better = ranked.copy()
    pair = better[place : place + 2]
    better[place : place + 2] = sorted(pair, key=lambda key: -relevant.get(key, 0))
    assert ndcg(better, relevant, gain=gain) >= ndcg(ranked, relevant, gain=gain) - 1e-12


@given(
    documents, st.dictionaries(st.sampled_from("abcdefghijklmnop"), st.integers(0, 4), min_size=1)
)
def test_metrics_are_those_of_trec_eval(ranked: list[str], grades: dict[str, int]) -> None:
    names = {"ndcg_cut.10", "P.10", "recall.10", "recip_rank", "success.1"}
    judge = pytrec_eval.RelevanceEvaluator({"q": grades}, names)
    scores = {key: float(-rank) for rank, key in enumerate(ranked[:10])}
    # For an empty list trec_eval has no figure.
    scored = judge.evaluate({"q": scores}).get("q", {}) if scores else {}
    for name, case in (
        ("ndcg_cut_10", ndcg(ranked, grades)),
        ("P_10", precision(ranked, grades)),
        ("recall_10", recall(ranked, grades)),
        ("recip_rank", reciprocal_rank(ranked, grades)),
        ("success_1", hit(ranked, grades)),
    ):
        assert case == pytest.approx(scored.get(name, 0.0)), name
