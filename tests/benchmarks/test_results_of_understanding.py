"""Results of helpfulness, reading and urgency on the page of results."""

from typing import Any

import pytest

from anamnesis.errors import SettingError
from benchmarks.results import differing, section
from nodes.settings.context import Context

ALONE = Context.model_validate({"memory.recall": False, "memory.consent": False})
SETTINGS = ALONE.model_dump(mode="json", exclude={"index"})
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "helpfulness --corpus c.jsonl --queries q.jsonl": {
        "corpus": {"file": "c.jsonl"},
        "queries": {"file": "q.jsonl", "used": 7},
        "settings": SETTINGS,
    },
    "reading --questions a.jsonl --held-out": {
        "questions": {"file": "a.jsonl", "held_out": True, "used": 7}
    },
    "urgency --messages m.jsonl": {"messages": {"file": "m.jsonl", "dev": False, "used": 7}},
}


@pytest.mark.parametrize(
    ("command", "changed", "wrong"),
    [
        ("helpfulness --corpus c.jsonl --queries q.jsonl", "--queries p.jsonl", ["queries"]),
        (
            "helpfulness --corpus c.jsonl --queries q.jsonl",
            "--set verification.min_probability=0.6",
            ["settings"],
        ),
        ("reading --questions a.jsonl --held-out", "--questions b.jsonl", ["questions"]),
        ("urgency --messages m.jsonl", "--dev", ["dev"]),
        ("urgency --messages m.jsonl", "--seed 3", ["seed"]),
    ],
)
def test_a_result_stands_with_its_command_and_no_other(
    command: str, changed: str, wrong: list[str]
) -> None:
    kind = command.split()[0]
    configuration = {"command": f"evaluate {kind}", "seed": 0, **CONFIGURATIONS[command]}
    result = {
        "protocol": kind,
        "configuration": configuration,
        "configuration_sha256": "0123456789abcdef",
        "machine": {"cores": 2},
        "metrics": {name: {"mean": 0.5, "low": 0.25, "high": 0.75} for name in "abc"},
    }
    assert differing(command, configuration) == []
    page = section("own", "Mine", command, result)
    assert "| | value |\n|---|---|\n| a | 0.500 [0.250, 0.750] |" in page
    assert ("7 messages" if kind == "urgency" else "7 questions") in page
    assert differing(f"{command} {changed}", configuration) == wrong
    with pytest.raises(SettingError, match=wrong[0]):
        section("own", "Mine", f"{command} {changed}", result)
