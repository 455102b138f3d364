"""What a caller may choose: the default lets nothing reach the network, the disk or a check."""

import json
from pathlib import Path
from typing import Any

import pytest

from anamnesis import SettingError
from nodes import policy as policies
from nodes.context import Context
from nodes.policy import Policy, asked_of, load_policy, offered_presets, policy_file, ruled
from nodes.presets import PRESETS

OPEN: dict[str, Any] = {
    "passages": 20,
    "evidence_passages": 8,
    "max_statements": 1,
    "remember": True,
    "stream_draft": True,
    "stream_statements": True,
    "user": "ann",
    "audience": {"department": "lungs"},
}
# A value of every other setting that is not its default.
CLOSED: dict[str, Any] = {
    "preset": "mkrag",
    "index": "/etc",
    "methods": ["sparse"],
    "candidates": 1000,
    "rrf_k": 0,
    "weights": {"sparse": 9},
    "reduce_query": False,
    "tune_query": False,
    "facts_k": 99,
    "fact_search": "broad",
    "reranker": None,
    "min_relevance": 0,
    "fusion": "rrf",
    "spelling": False,
    "several": False,
    "triage": "patterns",
    "country": "GB",
    "generator": "openai:x?base_url=http://127.0.0.1:9/v1",
    "temperature": 2,
    "max_tokens": 100_000,
    "seed": 1,
    "structured": False,
    "prompt_tokens": 100_000,
    "fact_tokens": 100_000,
    "prompts": {"system": "/etc/passwd"},
    "critic": None,
    "second_critic": "llm:openai:x?base_url=http://127.0.0.1:9/v1",
    "second_from": 0.9,
    "support": 0,
    "choice_support": 0,
    "always_choose": True,
    "support_score": 0,
    "max_rounds": 10,
    "rewrite": "model",
    "stop_without_news": False,
    "memory": False,
    "memory_threshold": -1,
    "memory_words": 0,
    "memories": 20,
    "memory_kinds": ["exchange"],
    "memory_ranking": "similarity",
    "memory_formula": "printed",
    "memory_days": 1,
    "memory_limit": 1,
    "redact": True,
    "conversation": False,
    "premises": False,
    "gate": False,
    "rerank_by": "reranker",
    "alternatives": 10,
    "prompt_form": "facts",
    "history": "rounds",
    "verdicts": "published",
    "kept_kinds": ["exchange"],
    "kept_exchanges": "all",
    "notes": "inferred",
    "memory_rankings": {"question": "freshness"},
    "contradictions": False,
    "facts_broad": 1000,
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    return tmp_path


def write(**policy: Any) -> None:
    policy_file().write_text(json.dumps(policy))


def test_every_setting_is_open_or_closed_by_the_default() -> None:
    assert OPEN.keys() | CLOSED.keys() == Context.model_fields.keys()


@pytest.mark.parametrize("name", OPEN)
def test_a_caller_may_choose_what_is_open(name: str) -> None:
    assert getattr(ruled(asked_of({name: OPEN[name]})), name) == OPEN[name]


@pytest.mark.parametrize("name", CLOSED)
def test_what_is_the_operators_is_refused_with_the_setting_and_the_remedy(name: str) -> None:
    with pytest.raises(SettingError, match=rf"'{name}' .*the operator changes this under 'caller"):
        ruled(asked_of({name: CLOSED[name]}))


@pytest.mark.parametrize(
    ("name", "value"), [("passages", 21), ("evidence_passages", 9), ("max_statements", 13)]
)
def test_numbers_have_bounds(name: str, value: int) -> None:
    with pytest.raises(SettingError, match=rf"'{name}' may be 1 to {value - 1} on this server"):
        ruled(asked_of({name: value}))


def test_a_value_that_changes_nothing_is_no_choice() -> None:
    own = Context(preset="default")
    same = {name: getattr(own, name) for name in Context.model_fields}
    assert ruled(asked_of(same)) == own


def test_nothing_is_loaded_or_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    load_policy()

    def touched(*_: Any, **__: Any) -> Any:
        raise AssertionError("the disk was looked at")

    policy = Policy()  # type: ignore[call-arg]
    monkeypatch.setattr("pathlib.Path.exists", touched)
    monkeypatch.setattr("pathlib.Path.open", touched)
    monkeypatch.setattr("os.stat", touched)
    for name in ("index", "generator", "critic", "reranker"):
        with pytest.raises(SettingError, match=name):
            policy.ruled(asked_of({name: "/etc/passwd"}))


def test_the_operators_settings_are_those_of_every_run() -> None:
    write(settings={"max_rounds": 1, "support": 0.9})
    found = ruled(asked_of({"evidence_passages": 5}))
    assert (found.max_rounds, found.support, found.evidence_passages) == (1, 0.9, 5)
    # Its callers are those of the default, and no way past it.
    with pytest.raises(SettingError, match="'support'"):
        ruled(asked_of({"support": 0.7}))


def test_an_operator_opens_what_callers_may_choose() -> None:
    write(callers={"preset": ["default", "mkrag"], "generator": ["extractive", "hf:a/b"]})
    assert ruled(asked_of({"preset": "mkrag"})).critic is None
    assert ruled(asked_of({"generator": "hf:a/b"})).generator == "hf:a/b"
    assert offered_presets() == ["default", "mkrag"]
    with pytest.raises(SettingError, match="'generator' may be 'extractive', 'hf:a/b'"):
        ruled(asked_of({"generator": "hf:a/c"}))
    with pytest.raises(SettingError, match="'remember' is not yours to choose"):
        ruled(asked_of({"remember": True}))


def test_a_preset_that_is_offered_takes_no_check_away_that_was_asked_for() -> None:
    write(callers={"preset": ["mkrag"]})
    assert ruled(asked_of({"preset": "mkrag", "critic": "own"})).critic == "own"
    with pytest.raises(SettingError, match="'support'"):
        ruled(asked_of({"preset": "mkrag", "support": 0}))


def test_no_other_preset_is_offered_by_itself_for_each_switches_a_check_off() -> None:
    assert offered_presets() == ["default"]
    for name, overrides in PRESETS.items():
        off = {"critic", "reranker"} & {own for own, value in overrides.items() if value is None}
        assert off or name == "default"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "Invalid JSON"),
        ("[]", "should be an object"),
        ('{"modles": []}', "modles: Extra inputs are not permitted"),
        ('{"settings": {"support": 3}}', "settings: support: Input should be less"),
        ('{"settings": {"colour": 3}}', "settings: colour: Extra inputs"),
        ('{"callers": {"colour": true}}', "callers.colour: there is no such setting"),
        ('{"callers": {"generator": true}}', "callers.generator: list the values"),
        ('{"callers": {"passages": {"least": 0, "most": 3}}}', "callers.passages: passages: "),
        ('{"callers": {"preset": ["none"]}}', "callers.preset: preset: "),
        ('{"settings": {"generator": "groq:x"}}', "settings.generator: groq:x does not run on "),
        ('{"settings": {"critic": "llm:groq:x"}}', "settings.critic: groq:x does not run on "),
        (
            '{"settings": {"second_critic": "llm:groq:x"}}',
            "settings.second_critic: groq:x does",
        ),
        ('{"callers": {"second_critic": true}}', "callers.second_critic: list the values"),
        ('{"callers": {"generator": ["ollama:x"]}}', "callers.generator: ollama:x does not run"),
    ],
)
def test_a_damaged_policy_names_file_and_field_and_opens_nothing(
    text: str, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    policy_file().write_text(text)
    with pytest.raises(SettingError) as caught:
        load_policy()
    assert str(policy_file()) in str(caught.value)
    assert told in str(caught.value)
    # A caller hears that there is no answer, and not where the operator's file is.
    with pytest.raises(SettingError, match="cannot read its policy") as refused:
        ruled(Context())  # type: ignore[call-arg]
    assert str(policy_file()) not in str(refused.value)
    assert told in caplog.text
    assert offered_presets() == []


def test_models_that_may_see_patients_words_are_named() -> None:
    models = ["groq:x", "openai:mine?base_url=http://10.0.0.5/v1"]
    write(settings={"generator": models[1], "critic": "llm:groq:x"}, patient_words=models)
    assert ruled(asked_of({})).generator == models[1]
    # An address more is another model.
    write(settings={"generator": "groq:x?base_url=http://10.0.0.6/v1"}, patient_words=["groq:x"])
    with pytest.raises(SettingError, match="add it to patient_words"):
        load_policy()


def test_another_file_can_be_named_and_must_be_there(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = home / "other.json"
    monkeypatch.setenv(policies.POLICY, str(other))
    with pytest.raises(SettingError, match=r"other\.json cannot be used \(there is no such file"):
        load_policy()
    other.write_text('{"callers": {}}')
    assert load_policy().callers == {}
    with pytest.raises(SettingError, match="Open to you: no setting"):
        ruled(asked_of({"max_statements": 2}))


def test_a_wrong_value_is_said_and_what_is_no_setting_left_out() -> None:
    with pytest.raises(SettingError, match="wrong setting: evidence_passages: "):
        asked_of({"evidence_passages": "many"})
    assert asked_of({"thread_id": "1"}) == Context()  # type: ignore[call-arg]


def test_prompts_are_checked_with_the_policy_and_offered_by_a_list_alone() -> None:
    write(settings={"prompts": {"answer": "Short."}})
    with pytest.raises(SettingError, match=r"'answer' lacks \{not_found\}"):
        load_policy()
    write(callers={"prompts": True})
    with pytest.raises(SettingError, match=r"callers\.prompts: list the values"):
        load_policy()
    write(settings={"prompts": {"system": "We are Ward 7."}})
    assert ruled(asked_of({})).prompts == {"system": "We are Ward 7."}


def test_an_operator_names_files_of_prompts_and_a_caller_gives_texts_alone(home: Path) -> None:
    first, second = home / "first.md", home / "second.md"
    first.write_text("We are Ward 7.")
    second.write_text("We are Ward 8.")
    write(
        settings={"prompts": {"system": str(first)}},
        callers={"prompts": [{"system": str(second)}]},
    )
    assert ruled(asked_of({})).prompts == {"system": "We are Ward 7."}
    for text in ("We are Ward 7.", "We are Ward 8."):
        assert ruled(asked_of({"prompts": {"system": text}})).prompts == {"system": text}
    for own in (first, second):
        with pytest.raises(SettingError, match="'prompts' may be one of those") as refused:
            ruled(asked_of({"prompts": {"system": str(own)}}))
        assert str(home) not in str(refused.value)
    # What a file says counts from the next step on, and a caller never hears its name.
    first.write_text("We are Ward 9.")
    assert ruled(asked_of({})).prompts == {"system": "We are Ward 9."}
    second.unlink()
    with pytest.raises(SettingError, match="cannot read its policy") as refused:
        ruled(asked_of({}))
    assert str(home) not in str(refused.value)


def test_prompts_that_callers_are_offered_are_checked_with_the_policy() -> None:
    write(callers={"prompts": [{"answer": "Short."}]})
    with pytest.raises(SettingError, match=r"'answer' lacks \{not_found\}"):
        load_policy()
