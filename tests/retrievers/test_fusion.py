from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.errors import SettingError
from retrievers.fusion import ensure_listed, reciprocal_rank_fusion, standardised_fusion

IDS = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)
LISTS = st.dictionaries(st.sampled_from(["sparse", "dense", "facts"]), IDS)
# Whole numbers, so that scaling and shifting them is exact.
SCORED = st.dictionaries(
    st.sampled_from(["sparse", "dense", "facts"]),
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-50, 50), max_size=8).map(
        lambda scores: dict(sorted(scores.items(), key=lambda pair: -pair[1]))
    ),
)


def ids(*args: object, **kwargs: object) -> list[str]:
    named = {"first": "sparse", **kwargs}
    return [doc.id for doc in reciprocal_rank_fusion(*args, **named)]  # type: ignore[arg-type]


def test_a_document_scores_the_sum_of_its_reciprocal_ranks() -> None:
    fused = reciprocal_rank_fusion({"sparse": ["a", "b"], "dense": ["b"]})
    assert [(doc.id, doc.ranks) for doc in fused] == [
        ("b", {"sparse": 2, "dense": 1}),
        ("a", {"sparse": 1}),
    ]
    assert fused[0].score == pytest.approx(1 / 62 + 1 / 61)
    assert fused[1].score == pytest.approx(1 / 61)


@pytest.mark.parametrize("order", [("sparse", "dense"), ("dense", "sparse")])
def test_of_equal_scores_the_sparse_document_comes_first(order: tuple[str, str]) -> None:
    lists = {"sparse": ["s1", "s2"], "dense": ["d1", "d2"]}
    assert ids({name: lists[name] for name in order}) == ["s1", "d1", "s2", "d2"]


def test_of_equal_scores_in_both_lists_the_one_higher_in_the_sparse_list_comes_first() -> None:
    assert ids({"dense": ["b", "a"], "sparse": ["a", "b"]}) == ["a", "b"]


def test_the_list_whose_documents_come_first_can_be_chosen_and_is_the_first_otherwise() -> None:
    assert ids({"dense": ["d"], "sparse": ["s"]}, first=None) == ["d", "s"]
    assert ids({"sparse": ["s"], "dense": ["d"]}, first="dense") == ["d", "s"]


def test_of_equal_scores_the_better_best_rank_comes_first() -> None:
    # 2 / (0 + 2) = 1 / (0 + 1), neither in the sparse list.
    lists = {"facts": ["x", "late"], "dense": ["early"]}
    assert ids(lists, k=0, weights={"facts": 2, "dense": 1}) == ["x", "early", "late"]


def test_weights_weigh_lists_and_a_weight_of_zero_leaves_a_list_out() -> None:
    lists = {"sparse": ["s"], "dense": ["d"]}
    assert ids(lists, weights={"dense": 1.5}) == ["d", "s"]
    assert ids(lists, weights={"sparse": 0}) == ["d"]


def test_the_first_place_counts_of_an_id_that_a_list_repeats() -> None:
    assert reciprocal_rank_fusion({"dense": ["a", "b", "a"]})[0].score == pytest.approx(1 / 61)


@pytest.mark.parametrize(
    ("k", "weights"),
    [
        (-1, None),
        (float("nan"), None),
        (60, {"dense": -1}),
        (60, {"dense": float("inf")}),
        (60, {"other": 1}),
        (60, {"dense": 0, "sparse": 0}),
    ],
)
def test_settings_that_make_no_sense_are_refused(k: float, weights: dict[str, float]) -> None:
    with pytest.raises(SettingError):
        reciprocal_rank_fusion({"sparse": ["a"], "dense": ["b"]}, k, weights)


@given(LISTS)
def test_fusion_keeps_every_document_once_in_the_exact_order_of_its_sums(
    lists: dict[str, list[str]],
) -> None:
    fused = reciprocal_rank_fusion(lists, first="sparse")
    assert {doc.id for doc in fused} == set().union(*lists.values())
    assert len({doc.id for doc in fused}) == len(fused)
    for doc in fused:
        assert doc.ranks == {
            name: ids.index(doc.id) + 1 for name, ids in lists.items() if doc.id in ids
        }

    def key(doc_id: str) -> tuple[Fraction, bool, int]:
        ranks = {name: ids.index(doc_id) + 1 for name, ids in lists.items() if doc_id in ids}
        total = sum((Fraction(1, 60 + rank) for rank in ranks.values()), Fraction())
        return -total, "sparse" not in ranks, min(ranks.values())

    keys = [key(doc.id) for doc in fused]
    assert keys == sorted(keys)


@given(LISTS)
def test_the_order_in_which_lists_are_given_does_not_change_scores(
    lists: dict[str, list[str]],
) -> None:
    turned = dict(reversed(lists.items()))
    scores = {doc.id: doc.score for doc in reciprocal_rank_fusion(lists)}
    assert scores == {doc.id: doc.score for doc in reciprocal_rank_fusion(turned)}


@given(IDS, st.sets(st.sampled_from("abcdefgh")), st.integers(0, 8), st.integers(0, 8))
def test_a_selection_holds_a_listed_document_whenever_there_is_one(
    ranked: list[str], listed: set[str], chosen: int, n: int
) -> None:
    selected = ranked[: min(chosen, n)]
    final = ensure_listed(selected, ranked, listed, n)
    assert len(final) <= n
    assert len(set(final)) == len(final)
    assert set(final) <= set(ranked)
    if n and listed & set(ranked):
        assert listed & set(final)
        assert final[: n - 1] == selected[: n - 1] or len(selected) < n
    else:
        assert final == selected
    if listed & set(selected):
        assert final == selected


def test_the_lowest_ranked_gives_way_to_the_best_of_the_dense_list() -> None:
    ranked = ["s1", "s2", "s3", "d1", "d2"]
    assert ensure_listed(["s1", "s2", "s3"], ranked, {"d1", "d2"}, 3) == ["s1", "s2", "d1"]
    assert ensure_listed(["s1"], ranked, {"d2"}, 3) == ["s1", "d2"]
    assert ensure_listed(["s1", "d2"], ranked, {"d1", "d2"}, 2) == ["s1", "d2"]


@given(IDS, IDS, st.integers(2, 8), st.integers(0, 60))
def test_between_lists_of_equal_weight_the_guarantee_changes_nothing(
    sparse: list[str], dense: list[str], n: int, k: int
) -> None:
    # R3 and S2 have no guarantee: the first two always have a document of the dense list.
    ranked = [doc.id for doc in reciprocal_rank_fusion({"sparse": sparse, "dense": dense}, k)]
    assert ensure_listed(ranked[:n], ranked, dense, n) == ranked[:n]


def test_a_standardised_score_is_the_weighed_sum_of_deviations_from_the_mean() -> None:
    # sparse: mean 4, deviation 2; dense: mean .5, deviation .1. c is not in the sparse list and
    # has its last score, -1; a is not in the dense list and has its last score, -1.
    lists = {"sparse": {"a": 6.0, "b": 2.0}, "dense": {"b": 0.6, "c": 0.4}}
    fused = standardised_fusion(lists)
    assert [(doc.id, dict(doc.ranks)) for doc in fused] == [
        ("a", {"sparse": 1}),
        ("b", {"sparse": 2, "dense": 1}),
        ("c", {"dense": 2}),
    ]
    # a: 1 - 1, b: -1 + 1, c: -1 - 1; the lowest is moved to 0.
    assert [doc.score for doc in fused] == pytest.approx([2, 2, 0])
    weighed = standardised_fusion(lists, {"dense": 3})
    # a: 1 - 3, b: -1 + 3, c: -1 - 3.
    assert [(doc.id, doc.score) for doc in weighed] == [
        ("b", pytest.approx(6)),
        ("a", pytest.approx(2)),
        ("c", pytest.approx(0)),
    ]


def test_how_far_the_best_is_ahead_counts_which_ranks_do_not_tell() -> None:
    lists = {
        "sparse": {"a": 5.1, "b": 5.0, "c": 1.0},
        "dense": {"b": 0.9, "a": 0.2, "c": 0.1},
    }
    assert [doc.id for doc in standardised_fusion(lists)] == ["b", "a", "c"]
    assert ids({name: list(scores) for name, scores in lists.items()}) == ["a", "b", "c"]


@pytest.mark.parametrize("lists", [{}, {"sparse": {}}, {"sparse": {}, "dense": {}}])
def test_lists_of_nothing_fuse_to_nothing(lists: dict[str, dict[str, float]]) -> None:
    assert standardised_fusion(lists) == []


def test_an_empty_list_changes_nothing() -> None:
    dense = {"a": 0.9, "b": 0.1}
    assert standardised_fusion({"sparse": {}, "dense": dense}) == standardised_fusion(
        {"dense": dense}
    )


def test_a_list_of_one_or_of_equal_scores_decides_nothing_but_ties() -> None:
    one = standardised_fusion({"sparse": {"s": 7.0}, "dense": {"a": 0.9, "b": 0.1}})
    assert [doc.id for doc in one] == ["a", "s", "b"]
    equal = standardised_fusion({"sparse": {"s": 3.0, "t": 3.0}, "dense": {"a": 0.9, "b": 0.1}})
    assert [doc.id for doc in equal] == ["a", "s", "t", "b"]
    alone = standardised_fusion({"dense": {"a": 0.9}})
    assert [(doc.id, doc.score) for doc in alone] == [("a", 0.0)]


@pytest.mark.parametrize("weights", [{"dense": -1}, {"other": 1}, {"dense": 0, "sparse": 0}])
def test_weights_that_make_no_sense_are_refused(weights: dict[str, float]) -> None:
    with pytest.raises(SettingError):
        standardised_fusion({"sparse": {"a": 1}, "dense": {"b": 1}}, weights)


@given(SCORED, st.sampled_from([0.5, 2, 8, 64]), st.integers(-100, 100))
def test_the_order_stays_when_the_scores_of_a_list_are_scaled_or_shifted(
    lists: dict[str, dict[str, float]], factor: float, shift: int
) -> None:
    fused = standardised_fusion(lists)
    scores = {doc.id: doc.score for doc in fused}
    for name, by_key in lists.items():
        moved = {key: factor * score + shift for key, score in by_key.items()}
        again = standardised_fusion({**lists, name: moved})
        assert {doc.id: doc.score for doc in again} == pytest.approx(scores, abs=1e-9)
        assert {doc.id: doc.ranks for doc in again} == {doc.id: doc.ranks for doc in fused}
        # In the same order, but for what differs by rounding alone.
        order = [scores[doc.id] for doc in again]
        assert order == pytest.approx(sorted(order, reverse=True), abs=1e-9)


@given(SCORED)
def test_a_list_of_weight_zero_is_left_out(lists: dict[str, dict[str, float]]) -> None:
    for name in lists:
        rest = {other: scores for other, scores in lists.items() if other != name}
        if rest:
            left_out = standardised_fusion(lists, {name: 0}, "sparse")
            assert left_out == standardised_fusion(rest, first="sparse")


@given(SCORED)
def test_the_best_of_every_list_is_the_best_of_all(lists: dict[str, dict[str, float]]) -> None:
    full = {name: scores for name, scores in lists.items() if scores}
    first = {next(iter(scores)) for scores in full.values()}
    fused = standardised_fusion(lists)
    assert {doc.id for doc in fused} == set().union(*lists.values())
    assert [doc.score for doc in fused] == sorted((doc.score for doc in fused), reverse=True)
    assert not fused or fused[-1].score == 0
    if len(first) == 1:
        best = max(doc.score for doc in fused)
        assert {doc.id: doc.score for doc in fused}[first.pop()] == pytest.approx(best, abs=1e-9)
