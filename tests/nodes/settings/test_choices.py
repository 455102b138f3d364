"""What a caller of the server may choose by default."""

from graph import Context
from nodes.settings.choices import CALLERS, MODELS, PROMPTS, PROTECTED, REACHING, Bounds
from nodes.settings.names import fields, value_of
from nodes.settings.presets import PRESETS

KNOWN = fields(Context)


def test_every_named_setting_exists() -> None:
    for name in (*CALLERS, *REACHING, *PROTECTED, PROMPTS):
        assert name in KNOWN
    assert set(MODELS) <= set(REACHING)


def test_nothing_that_reaches_the_network_the_disk_or_a_check_is_left_to_callers() -> None:
    assert not CALLERS.keys() & {*REACHING, *PROTECTED}
    assert not [name for name in CALLERS if name.startswith("verification.")]


def test_a_preset_that_callers_may_choose_switches_off_nothing() -> None:
    allowed = CALLERS["preset"]
    assert isinstance(allowed, list)
    for name in allowed:
        assert PRESETS[name] == {}


def test_the_default_lies_within_its_bounds() -> None:
    bounds = {name: rule for name, rule in CALLERS.items() if isinstance(rule, Bounds)}
    assert bounds
    for name, rule in bounds.items():
        default = value_of(Context(), name)  # None: it depends on other settings
        assert default is None or rule.minimum <= default <= rule.maximum


def test_bounds_are_written_as_a_range() -> None:
    assert str(Bounds(minimum=1, maximum=20)) == "1 to 20"
    assert str(Bounds(minimum=0.25, maximum=1)) == "0.25 to 1"
