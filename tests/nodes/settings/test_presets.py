"""What presets set, and what a caller sets in addition."""

from typing import Any

import pytest
from pydantic import ValidationError

from nodes.settings.context import Context
from nodes.settings.derived import fusion_weights
from nodes.settings.presets import PRESETS

PUBLISHED = [name for name in PRESETS if name != "default"]


def context(**given: Any) -> Context:
    return Context(**given)


def test_the_default_fuses_a_hundred_candidates_by_standardised_scores() -> None:
    default = context()
    assert (default.retrieval.fusion, default.retrieval.candidates, default.question.spelling) == (
        "standardised",
        100,
        True,
    )
    assert fusion_weights(default) == {"dense": 3.0}


@pytest.mark.parametrize("preset", PUBLISHED)
def test_published_systems_fuse_thirty_candidates_by_ranks_and_ask_as_written(preset: str) -> None:
    published = context(preset=preset)
    assert (
        published.retrieval.fusion,
        published.retrieval.candidates,
        published.retrieval.rrf_k,
    ) == ("rrf", 30, 60)
    assert (published.retrieval.reduce_query, published.retrieval.query_adapter) == (False, False)
    assert (published.question.spelling, published.question.split) == (False, False)
    assert fusion_weights(published) is None


@pytest.mark.parametrize("preset", PUBLISHED)
def test_what_the_caller_sets_wins_over_the_preset(preset: str) -> None:
    changed = context(
        preset=preset,
        **{
            "retrieval.fusion": "standardised",
            "retrieval.candidates": 7,
            "question.spelling": True,
            "retrieval.methods": ("dense",),
        },
    )
    assert (changed.retrieval.fusion, changed.retrieval.candidates, changed.question.spelling) == (
        "standardised",
        7,
        True,
    )
    assert fusion_weights(changed) == {"dense": 3.0}


@pytest.mark.parametrize("fusion", ["rrf", "standardised"])
def test_weights_of_the_caller_are_taken_as_they_are(fusion: str) -> None:
    weights = {"sparse": 2.0, "dense": 0.5}
    assert (
        fusion_weights(context(**{"retrieval.fusion": fusion, "retrieval.weights": weights}))
        == weights
    )


def test_a_list_that_is_not_asked_has_no_weight() -> None:
    assert fusion_weights(context(**{"retrieval.methods": ("sparse",)})) == {}
    assert fusion_weights(context(**{"retrieval.methods": ("sparse", "facts")})) == {}
    assert fusion_weights(context(**{"retrieval.methods": ("dense", "facts")})) == {"dense": 3.0}


@pytest.mark.parametrize(
    "wrong",
    [
        {"retrieval.fusion": "mean"},
        {"retrieval.candidates": 0},
        {"retrieval.candidates": 1001},
        {"retrieval.rrf_k": -1},
    ],
)
def test_settings_of_fusion_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        context(**wrong)


def test_a_preset_is_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "strict", {"loop.max_rounds": 1})
    assert Context(preset="strict").loop.max_rounds == 1
    assert Context.model_validate({"preset": "strict", "loop.max_rounds": 2}).loop.max_rounds == 2
    with pytest.raises(ValidationError, match="there is no preset 'stricter'; choose one of defau"):
        Context(preset="stricter")
