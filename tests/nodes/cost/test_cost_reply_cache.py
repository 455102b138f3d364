"""For which steps, runs and users the replies of models are cached."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime

from anamnesis import SettingError
from graph import Context
from nodes.cost.reply_cache import CACHED_STEPS, SETTING, days, reply_cache_of
from nodes.parts import Parts
from tests.nodes.steps import state_of

ANN = Context.model_validate({"user": "ann", "memory.consent": True})
EMERGENCY = {"level": "emergency", "kind": "medical", "crisis": False, "why": ""}


@pytest.fixture(autouse=True)
def week(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    monkeypatch.setenv(SETTING, "7")


def is_cached(step: str = "generate", context: Context = ANN, **state: Any) -> bool:
    changed = state_of(**{"requested_at": 7.0, **state})
    return reply_cache_of(step, changed, Runtime(context=context), Parts()) is not None


@pytest.mark.parametrize(("value", "expected"), [("", None), ("1", 1), ("3650", 3650)])
def test_the_operator_sets_the_days(
    value: str, expected: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SETTING, value)
    assert days() == expected


@pytest.mark.parametrize("value", ["0", "3651", "-1", "1.5", "yes", " 7", "١"])
def test_any_other_value_is_refused(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, value)
    with pytest.raises(SettingError, match="from 1 to 3650"):
        days()


def test_replies_of_steps_that_write_and_check_are_cached() -> None:
    assert all(is_cached(step) for step in CACHED_STEPS)
    assert not any(is_cached(step) for step in ("screen", "remember", "recall"))


def test_nothing_is_cached_without_the_operator_the_user_and_the_users_consent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert is_cached()
    assert not is_cached(context=ANN.changed({"user": None}))
    assert not is_cached(context=ANN.changed({"memory.consent": False}))
    assert not is_cached(requested_at=None)
    assert not is_cached(urgency=EMERGENCY)
    monkeypatch.delenv(SETTING)
    assert not is_cached()
