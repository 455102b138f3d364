"""The layout: imports go down the floors, and the package list names every package."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FLOORS = {
    "anamnesis": 0,
    "corpus": 1,
    "models": 1,
    "prompts": 1,
    "retrievers": 2,
    "memory": 2,
    "nodes": 3,
    "graph": 4,
    "evaluation": 5,
    "app": 6,
}
# Not installed: what the project is built and measured with.
TOOLS = {"training": 7, "benchmarks": 8}
ALL = FLOORS | TOOLS
FILES = sorted(path for package in ALL for path in (ROOT / package).rglob("*.py"))


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names & set(ALL)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down_the_floors(path: Path) -> None:
    own = path.relative_to(ROOT).parts[0]
    for other in imported(path) - {own}:
        assert ALL[other] < ALL[own], f"{path} imports {other}"


def test_every_package_is_installed() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    within = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for path in FILES
        if path.name == "__init__.py" and path.relative_to(ROOT).parts[0] in FLOORS
    }
    assert set(FLOORS) <= within
    assert sorted(told["tool"]["setuptools"]["packages"]) == sorted(within)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_outgrows_a_readers_patience(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= 300


def test_nothing_is_pickled() -> None:
    for path in FILES:
        assert "pickle" not in imported_names(path), path


def imported_names(path: Path) -> set[str]:
    return {
        alias.name.split(".")[0]
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
