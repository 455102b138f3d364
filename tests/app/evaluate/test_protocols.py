"""Each protocol is one entry, from which its command, its help and its part of the page come."""

import argparse
import json
import re
from importlib import import_module
from pathlib import Path

import pytest

from app.cli.main import main, parser
from app.evaluate.protocols import PROTOCOLS, Protocol, page_parts

DOCS = Path(__file__).parents[3] / "docs"


def test_an_entry_makes_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def options(command: argparse.ArgumentParser) -> None:
        command.add_argument("--words", type=int, required=True)

    def run(given: argparse.Namespace) -> int:
        print(given.kind, given.words)
        return 3

    protocol = Protocol("are sentences short?", options, run, ("long", "short"))
    monkeypatch.setitem(PROTOCOLS, "length", protocol)
    assert main(["evaluate", "length", "--words", "12"]) == 3
    assert capsys.readouterr().out == "length 12\n"
    with pytest.raises(SystemExit):
        parser().parse_args(["evaluate", "length", "--help"])
    assert "Measured: long, short." in capsys.readouterr().out


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_function_that_an_entry_names_is_there(name: str) -> None:
    protocol = PROTOCOLS[name]
    for named in filter(None, (protocol.run, protocol.page, protocol.compared, protocol.published)):
        assert isinstance(named, str)
        module, _, function = named.partition(":")
        assert callable(getattr(import_module(module), function))
    part = page_parts()[name]
    assert bool(part.add) == bool(protocol.page)
    assert bool(part.compared) == bool(protocol.compared)
    assert bool(part.published) == bool(protocol.published)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_the_docs_name_each_protocol_and_its_figures(name: str) -> None:
    text = (DOCS / "evaluation.md").read_text("utf-8")
    assert f"evaluate {name}" in text
    plain = [figure.partition("@")[0] for figure in PROTOCOLS[name].figures]
    assert [name for name in plain if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.parametrize("file", sorted((DOCS.parent / "results").glob("*.json")), ids=str)
def test_a_kept_result_has_the_figures_of_its_protocol(file: Path) -> None:
    result = json.loads(file.read_text("utf-8"))
    rows = result.get("methods") or result.get("rows") or {"": result.get("metrics", {})}
    found = {name for method in rows.values() for name in method}
    assert set(PROTOCOLS[result["protocol"]].figures) <= found
