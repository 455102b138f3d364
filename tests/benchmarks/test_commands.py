"""Every benchmark can be started, and the results that are kept are those of their commands."""

import importlib
import pkgutil
import sys
from pathlib import Path
from typing import Any

import pytest

import benchmarks
import training
from anamnesis.errors import SettingError
from benchmarks.command_line import data_folder
from benchmarks.results import KEPT, MADE, differing, section
from evaluation.results import load

NAMES = [f"benchmarks.{module.name}" for module in pkgutil.iter_modules(benchmarks.__path__)]
NAMES += [f"training.{module.name}" for module in pkgutil.iter_modules(training.__path__)]
# What has no options of its own.
SILENT = {"benchmarks.results", "benchmarks.fact_questions"}


@pytest.mark.parametrize("name", NAMES)
def test_the_help_of_what_can_be_started_names_its_options(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if name == "benchmarks.page":
        pytest.importorskip("playwright")
    module = importlib.import_module(name)
    if hasattr(module, "main") and name not in SILENT:
        monkeypatch.setattr(sys, "argv", [name, "--help"])
        with pytest.raises(SystemExit) as ended:
            module.main()
        assert ended.value.code == 0
        assert "usage:" in capsys.readouterr().out


def test_the_data_are_read_from_the_folder_that_was_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_DATA", "there")
    assert (data_folder(None), data_folder("here")) == (Path("there"), Path("here"))


@pytest.mark.parametrize("name", MADE)
def test_a_result_that_is_kept_is_that_of_its_command(name: str) -> None:
    title, command = MADE[name]
    result = load(KEPT / f"{name}.json")
    assert differing(command, result["configuration"]) == []
    assert f"`anamnesis evaluate {command} --out {name}.json`" in section(
        name, title, command, result
    )


@pytest.mark.parametrize(
    ("name", "options", "wrong"),
    [
        ("focus", "--seed 1", ["seed"]),
        ("focus", "--runs 9 --held-out", ["runs", "held_out"]),
        ("focus", "--methods sparse", ["methods"]),
        ("focus", "--protocol focus-own-left-out --gain exponential", ["protocol", "gain"]),
        ("robustness", "--sample 9", ["sample"]),
        ("bioasq-rounds", "--rounds 1,2", ["settings"]),
        ("corrections", "--sample 9", ["sample"]),
        ("liveqa", "--corpus other.jsonl", ["corpus"]),
    ],
)
def test_a_result_of_other_options_is_refused(name: str, options: str, wrong: list[str]) -> None:
    title, command = MADE[name]
    result: dict[str, Any] = load(KEPT / f"{name}.json")
    assert differing(f"{command} {options}", result["configuration"]) == wrong
    with pytest.raises(SettingError, match=f"results/{name}.json was not measured.*{wrong[0]}"):
        section(name, title, f"{command} {options}", result)
