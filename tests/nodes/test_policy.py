"""What a caller may choose: the default lets nothing reach the network, the disk or a check."""

import json
from pathlib import Path
from typing import Any

import pytest

from anamnesis import SettingError
from nodes import policy as policies
from nodes.policy import Policy, apply_policy, load_policy, offered_presets, policy_file
from nodes.policy import requested_settings as requested
from nodes.settings.context import Context
from nodes.settings.names import fields, value_of
from nodes.settings.presets import PRESETS

pytestmark = pytest.mark.usefixtures("no_home")

OPEN: dict[str, Any] = {
    "retrieval.rerank_depth": 20,
    "generator.passages": 8,
    "generator.max_statements": 1,
    "memory.consent": True,
    "memory.ask_experts": True,
    "generator.stream_draft": True,
    "generator.stream_statements": True,
    "user": "ann",
    "audience": {"department": "lungs"},
}
# A value of every other setting that is not its default.
CLOSED: dict[str, Any] = {
    "preset": "mkrag",
    "index": "/etc",
    "retrieval.methods": ["sparse"],
    "retrieval.candidates": 1000,
    "retrieval.bm25": "rank-bm25",
    "retrieval.rrf_k": 0,
    "retrieval.weights": {"sparse": 9},
    "retrieval.reduce_query": False,
    "retrieval.query_adapter": False,
    "retrieval.facts_k": 99,
    "retrieval.fact_search": "broad",
    "retrieval.reranker": None,
    "retrieval.min_relevance": 0,
    "retrieval.fusion": "rrf",
    "question.spelling": False,
    "question.names": False,
    "question.split": False,
    "question.summarise": True,
    "triage.classifier": "patterns",
    "triage.country": "GB",
    "generator.model": "openai:x?base_url=http://127.0.0.1:9/v1",
    "generator.temperature": 2,
    "generator.max_tokens": 100_000,
    "generator.seed": 1,
    "generator.structured": False,
    "generator.prompt_tokens": 100_000,
    "generator.fact_tokens": 100_000,
    "generator.prompts": {"system": "/etc/passwd"},
    "verification.critic": None,
    "verification.second_critic": "llm:openai:x?base_url=http://127.0.0.1:9/v1",
    "verification.unsure_from": 0.9,
    "verification.unsure_until": 0.2,
    "verification.min_probability": 0,
    "verification.min_choice_probability": 0,
    "verification.always_choose": True,
    "loop.min_supported_share": 0,
    "loop.max_rounds": 10,
    "loop.rewrite": "model",
    "loop.stop_without_new_passages": False,
    "memory.recall": False,
    "memory.threshold": -1,
    "memory.verify_again": False,
    "memory.quote_user": False,
    "memory.medicine_warnings": False,
    "memory.lexical_weight": 0,
    "memory.max_exchanges": 20,
    "memory.recalled_kinds": ["exchange"],
    "memory.ranking": "similarity",
    "memory.score_scaling": "none",
    "memory.max_age_days": 1,
    "memory.max_memories": 1,
    "generator.redact": True,
    "question.conversation": False,
    "question.premises": False,
    "retrieval.gate": False,
    "retrieval.rerank_by": "reranker",
    "generator.alternatives": 10,
    "generator.source_order": [],
    "generator.prompt_format": "facts",
    "loop.history": "rounds",
    "verification.verdicts": "entailment",
    "verification.safety_checks": False,
    "memory.stored_kinds": ["exchange"],
    "memory.stored_exchanges": "all",
    "memory.notes": "inferred",
    "memory.rankings_by_kind": {"question": "freshness"},
    "memory.contradictions": False,
    "retrieval.fact_candidates": 1000,
}


def write(**policy: Any) -> None:
    policy_file().write_text(json.dumps(policy))


def test_every_setting_is_open_or_closed_by_the_default() -> None:
    assert OPEN.keys() | CLOSED.keys() == fields(Context).keys()


@pytest.mark.parametrize("name", OPEN)
def test_a_caller_may_choose_what_is_open(name: str) -> None:
    assert value_of(apply_policy(requested({name: OPEN[name]})), name) == OPEN[name]


@pytest.mark.parametrize("name", CLOSED)
def test_what_is_the_operators_is_refused_with_the_setting_and_the_remedy(name: str) -> None:
    with pytest.raises(SettingError, match=rf"'{name}' .*the operator changes this under 'caller"):
        apply_policy(requested({name: CLOSED[name]}))


@pytest.mark.parametrize(
    ("name", "value"),
    [("retrieval.rerank_depth", 21), ("generator.passages", 9), ("generator.max_statements", 13)],
)
def test_numbers_have_bounds(name: str, value: int) -> None:
    with pytest.raises(SettingError, match=rf"'{name}' may be 1 to {value - 1} on this server"):
        apply_policy(requested({name: value}))


def test_a_value_that_changes_nothing_is_no_choice() -> None:
    context = Context(preset="default")
    same = {name: value_of(context, name) for name in fields(Context)}
    assert apply_policy(requested(same)) == context


def test_nothing_is_loaded_or_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    load_policy()

    def touched(*_: Any, **__: Any) -> Any:
        raise AssertionError("the disk was looked at")

    policy = Policy()  # type: ignore[call-arg]
    monkeypatch.setattr("pathlib.Path.exists", touched)
    monkeypatch.setattr("pathlib.Path.open", touched)
    monkeypatch.setattr("os.stat", touched)
    for name in ("index", "generator.model", "verification.critic", "retrieval.reranker"):
        with pytest.raises(SettingError, match=name):
            policy.apply(requested({name: "/etc/passwd"}))


def test_the_operators_settings_are_those_of_every_run() -> None:
    write(settings={"loop.max_rounds": 1, "verification.min_probability": 0.9})
    found = apply_policy(requested({"generator.passages": 5}))
    assert (
        found.loop.max_rounds,
        found.verification.min_probability,
        found.generator.passages,
    ) == (1, 0.9, 5)
    # Its callers are those of the default, and no way past it.
    with pytest.raises(SettingError, match=r"'verification\.min_probability'"):
        apply_policy(requested({"verification.min_probability": 0.7}))


def test_an_operator_opens_what_callers_may_choose() -> None:
    write(callers={"preset": ["default", "mkrag"], "generator.model": ["extractive", "hf:a/b"]})
    assert apply_policy(requested({"preset": "mkrag"})).verification.critic is None
    assert apply_policy(requested({"generator.model": "hf:a/b"})).generator.model == "hf:a/b"
    assert offered_presets() == ["default", "mkrag"]
    with pytest.raises(SettingError, match=r"'generator\.model' may be 'extractive', 'hf:a/b'"):
        apply_policy(requested({"generator.model": "hf:a/c"}))
    with pytest.raises(SettingError, match=r"'memory\.consent' may not be chosen by callers"):
        apply_policy(requested({"memory.consent": True}))


def test_a_preset_that_is_offered_takes_no_check_away_that_was_asked_for() -> None:
    write(callers={"preset": ["mkrag"]})
    assert (
        apply_policy(
            requested({"preset": "mkrag", "verification.critic": "own"})
        ).verification.critic
        == "own"
    )
    with pytest.raises(SettingError, match=r"'verification\.min_probability'"):
        apply_policy(requested({"preset": "mkrag", "verification.min_probability": 0}))


def test_no_other_preset_is_offered_by_itself_for_each_switches_a_check_off() -> None:
    assert offered_presets() == ["default"]
    for name, overrides in PRESETS.items():
        off = {"verification.critic", "retrieval.reranker"} & {
            text for text, value in overrides.items() if value is None
        }
        assert off or name == "default"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "Invalid JSON"),
        ("[]", "should be an object"),
        ('{"modles": []}', "modles: Extra inputs are not permitted"),
        (
            '{"settings": {"verification": {"min_probability": 3}}}',
            "settings: verification.min_probability: Input should be less",
        ),
        ('{"settings": {"colour": 3}}', "settings: there is no setting 'colour'"),
        ('{"callers": {"colour": true}}', "callers.colour: there is no such setting"),
        ('{"callers": {"generator.model": true}}', "callers.generator.model: list the values"),
        ('{"callers": {"generator": ["own"]}}', "callers.generator: a group may be true or false"),
        (
            '{"callers": {"retrieval.rerank_depth": {"minimum": 0, "maximum": 3}}}',
            "callers.retrieval.rerank_depth: retrieval.rerank_depth: ",
        ),
        ('{"callers": {"preset": ["none"]}}', "callers.preset: preset: "),
        (
            '{"settings": {"generator": {"model": "groq:x"}}}',
            "settings.generator.model: groq:x does not run on ",
        ),
        (
            '{"settings": {"verification.critic": "llm:groq:x"}}',
            "settings.verification.critic: groq:x does not run on ",
        ),
        (
            '{"settings": {"verification": {"second_critic": "llm:groq:x"}}}',
            "settings.verification.second_critic: groq:x does",
        ),
        (
            '{"callers": {"verification.second_critic": true}}',
            "callers.verification.second_critic: list the values",
        ),
        (
            '{"callers": {"generator.model": ["ollama:x"]}}',
            "callers.generator.model: ollama:x does not run",
        ),
    ],
)
def test_a_damaged_policy_names_file_and_field_and_opens_nothing(
    text: str, expected: str, caplog: pytest.LogCaptureFixture
) -> None:
    policy_file().write_text(text)
    with pytest.raises(SettingError) as caught:
        load_policy()
    assert str(policy_file()) in str(caught.value)
    assert expected in str(caught.value)
    # A caller hears that there is no answer, and not where the operator's file is.
    with pytest.raises(SettingError, match="cannot read its policy") as refused:
        apply_policy(Context())  # type: ignore[call-arg]
    assert str(policy_file()) not in str(refused.value)
    assert expected in caplog.text
    assert offered_presets() == []


def test_a_whole_group_is_opened_but_for_what_needs_a_list() -> None:
    write(callers={"retrieval": True, "retrieval.methods": [["sparse"]], "loop": True})
    found = apply_policy(requested({"retrieval": {"candidates": 7}, "loop.max_rounds": 2}))
    assert (found.retrieval.candidates, found.loop.max_rounds) == (7, 2)
    for wrong in ({"retrieval.reranker": "/etc"}, {"retrieval": {"methods": ["dense"]}}):
        with pytest.raises(SettingError, match=r"'retrieval\.(reranker|methods)'"):
            apply_policy(requested(wrong))


def test_models_that_may_see_patients_words_are_named() -> None:
    models = ["groq:x", "openai:mine?base_url=http://10.0.0.5/v1"]
    write(
        settings={"generator.model": models[1], "verification.critic": "llm:groq:x"},
        patient_words=models,
    )
    assert apply_policy(requested({})).generator.model == models[1]
    # An address more is another model.
    write(
        settings={"generator.model": "groq:x?base_url=http://10.0.0.6/v1"}, patient_words=["groq:x"]
    )
    with pytest.raises(SettingError, match="add it to patient_words"):
        load_policy()


def test_another_file_can_be_named_and_must_be_there(
    no_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = no_home / "other.json"
    monkeypatch.setenv(policies.POLICY, str(other))
    with pytest.raises(SettingError, match=r"other\.json cannot be used \(there is no such file"):
        load_policy()
    other.write_text('{"callers": {}}')
    assert load_policy().callers == {}
    with pytest.raises(SettingError, match="You may choose: no setting"):
        apply_policy(requested({"generator.max_statements": 2}))


def test_a_wrong_value_is_said_and_what_is_no_setting_left_out() -> None:
    with pytest.raises(SettingError, match=r"wrong setting: generator\.passages: "):
        requested({"generator.passages": "many"})
    assert requested({"thread_id": "1"}) == Context()  # type: ignore[call-arg]
