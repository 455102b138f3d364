"""Settings are found by their names in groups, and a wrong name is answered with a right one."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from anamnesis import SettingError
from nodes.settings.context import Context
from nodes.settings.names import (
    by_name,
    check_places,
    description,
    fields,
    flat,
    nested,
    value_of,
)
from nodes.settings.presets import PRESETS
from retrievers.methods import RETRIEVERS

NEAREST = {
    "verification.min_probabilty": "verification.min_probability",
    "verification.min_prob": "verification.min_probability",
    "verificaton.min_probability": "verification.min_probability",
    "retreival.fuson": "retrieval.fusion",
    "max_round": "loop.max_rounds",
    "methods": "retrieval.methods",
    "indx": "index",
    "passages": "generator.passages",
    "support_score": "loop.min_supported_share",
    # Groups.
    "generator": "generator.model",
    "memory": "memory.recall",
    "triage": "triage.classifier",
}


@pytest.mark.parametrize(("wrong", "right"), NEAREST.items())
def test_a_wrong_name_is_answered_with_the_nearest(wrong: str, right: str) -> None:
    assert right in fields(Context)
    with pytest.raises(ValidationError, match=re.escape(f"did you mean {right!r}")):
        Context.model_validate({wrong: "x"})


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("verification.critic_until", "verification.unsure_until"),
        ("generator.rank_sources", "generator.source_order"),
        ("retrieval.tuned_query", "retrieval.query_adapter"),
    ],
)
def test_names_with_the_last_word_are_suggested_too(wrong: str, right: str) -> None:
    with pytest.raises(ValidationError, match=rf"did you mean .*{re.escape(repr(right))}"):
        Context.model_validate({wrong: "x"})


def test_where_none_is_near_the_groups_are_named_or_what_a_group_has() -> None:
    with pytest.raises(SettingError, match="there are question, retrieval, generator"):
        dict(flat({"zzzz": 1}, Context))
    with pytest.raises(
        SettingError, match=r"there are loop\.max_rounds, loop\.min_supported_share"
    ):
        dict(flat({"loop": {"zzzz": 1}}, Context))
    assert dict(flat({"zzzz": 1, "loop": {"zzzz": 1, "max_rounds": 2}}, Context, True)) == {
        "loop.max_rounds": 2
    }


@given(st.sets(st.sampled_from(sorted(fields(Context)))))
def test_nested_and_by_name_are_the_same_settings(names: set[str]) -> None:
    settings = by_name(Context.model_validate({}))
    given_: dict[str, Any] = {name: settings[name] for name in names}
    assert dict(flat(nested(given_), Context)) == given_
    assert Context.model_validate(nested(given_)) == Context.model_validate(given_) == Context()  # type: ignore[call-arg]


def test_the_value_by_name_counts_and_a_preset_fills_in_what_is_left_out() -> None:
    context = Context.model_validate(
        {"memory.recall": True, "preset": "mark", "memory": {"notes": "quoted", "recall": False}}
    )
    assert (context.memory.notes, context.memory.recall, context.memory.threshold) == (
        "quoted",
        True,
        -1,
    )
    other = context.changed({"memory": {"threshold": 0.2}, "user": "ann"})
    assert (other.memory.threshold, other.memory.notes, other.user) == (0.2, "quoted", "ann")
    assert value_of(other, "memory.recall") is True


@pytest.mark.parametrize(
    ("given_", "right"),
    [
        ({"min_probability": 0.5}, "verification.min_probability"),
        ({"min_probabilty": 0.5}, "verification.min_probability"),
        ({"verification.min_prob": 0.5}, "verification.min_probability"),
        ({"verification": {"min_prob": 0.5}}, "verification.min_probability"),
        ({"verificaton.critic": None}, "verification.critic"),
        ({"verificaton": {"critic": None}}, "verification.critic"),
        ({"retreival": {"fuson": "rrf"}}, "retrieval.fusion"),
        ({"memroy.rankings_by_kind": {}}, "memory.rankings_by_kind"),
        ({"weights": {"dense": 3}}, "retrieval.weights"),
        ({"rankings_by_kind": {}}, "memory.rankings_by_kind"),
    ],
)
def test_a_wrong_place_of_a_setting_is_named(given_: dict[str, Any], right: str) -> None:
    with pytest.raises(SettingError, match=rf"did you mean {re.escape(repr(right))}"):
        check_places(given_, Context)


def test_a_table_without_its_group_is_refused_with_its_wrong_entries() -> None:
    with pytest.raises(SettingError) as refused:
        check_places({"weights": {"fuzzy": 2.0}}, Context)
    assert "did you mean 'retrieval.weights'?" in str(refused.value)
    known = ", ".join(RETRIEVERS)
    assert f"there is no search method 'fuzzy'; use one of {known}" in str(refused.value)


@pytest.mark.parametrize(
    "given_",
    [
        {"thread_id": "1", "tags": [], "metadata": {"critic": "x"}, "recursion_limit": 9},
        {"planner.model": "x", "retriever": {"name": "x"}, "generation": {"beams": 4}},
        {"models": ["x"], "user_name": "ann", "configurable": {"model_name": "x"}},
        {"verification": {"critic": None}, "verification.min_probability": 0.5, "index": None},
        {"audience": {"department": "x"}, "generator": {"prompts": {"system": "x"}}},
    ],
)
def test_settings_and_keys_of_other_programs_are_not_refused(given_: dict[str, Any]) -> None:
    check_places(given_, Context)


def test_the_schema_lists_what_is_registered_when_it_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(PRESETS, "strict", {})
    monkeypatch.setitem(RETRIEVERS, "titles", RETRIEVERS["sparse"]._replace(about="by titles"))
    schema = Context.model_json_schema()
    methods = schema["$defs"]["RetrievalSettings"]["properties"]["methods"]
    assert schema["properties"]["preset"]["enum"] == list(PRESETS)
    assert methods["items"]["enum"] == list(RETRIEVERS)
    described = schema["properties"]["retrieval.methods"]["description"]
    assert methods["description"] == described == description(fields(Context)["retrieval.methods"])
    assert "`titles`: by titles" in described


def test_a_changed_setting_is_checked() -> None:
    with pytest.raises(ValidationError, match=r"loop\.max_rounds"):
        Context.model_validate({}).changed({"loop.max_rounds": 0})
