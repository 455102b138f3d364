"""Callers switch the safety checks of documents off only if the operator says so by name."""

from typing import Any

import pytest

from anamnesis import SettingError
from nodes.policy import apply_policy, requested_settings
from nodes.settings.presets import PRESETS
from tests.nodes.test_policy import write

pytestmark = pytest.mark.usefixtures("no_home")

NAME = "verification.safety_checks"
SYSTEMS = [name for name in PRESETS if name != "default"]


def checked(**asked: Any) -> bool:
    return apply_policy(requested_settings(asked)).verification.safety_checks


def test_by_default_they_are_on_and_no_caller_switches_them_off() -> None:
    assert checked()
    assert checked(**{NAME: True})
    for asked in ({NAME: False}, {"verification": {"safety_checks": False}}):
        with pytest.raises(SettingError, match=rf"'{NAME}' may not be chosen by callers"):
            apply_policy(requested_settings(asked))


@pytest.mark.parametrize("preset", SYSTEMS)
def test_a_preset_that_callers_may_choose_does_not_switch_them_off(preset: str) -> None:
    write(callers={"preset": ["default", preset], "verification": True})
    assert checked(preset=preset)
    # A value that is sent with the preset and is the preset's is no choice of the caller's.
    for sent in (True, False):
        assert checked(**{"preset": preset, NAME: sent})
    # The rest of the preset applies.
    assert not apply_policy(requested_settings({"preset": preset})).retrieval.gate


@pytest.mark.parametrize("preset", SYSTEMS)
def test_what_the_operator_sets_overrides_a_preset(preset: str) -> None:
    write(settings={NAME: True}, callers={"preset": [preset]})
    assert checked(preset=preset)
    write(settings={"verification": {"safety_checks": False}}, callers={"preset": [preset]})
    assert not checked(preset=preset)
    assert not checked()


def test_an_operator_who_names_the_setting_permits_it() -> None:
    for rule in (True, [False], [True, False]):
        write(callers={"preset": ["default", "mark"], NAME: rule})
        assert checked()
        assert not checked(**{NAME: False})
        assert not checked(preset="mark")
        assert not checked(**{"preset": "mark", NAME: False})
    write(callers={"preset": ["default", "mark"], NAME: [True]})
    assert checked(preset="mark")
    with pytest.raises(SettingError, match=rf"'{NAME}' may be True on this server"):
        checked(**{NAME: False})


def test_an_operators_own_preset_switches_them_off_for_every_run() -> None:
    write(settings={"preset": "mark"})
    assert not checked()
