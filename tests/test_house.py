"""The layout: imports go down the floors, rooms say what they are, and every package is listed."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FLOORS = {
    "anamnesis": 0,
    "prompts": 2,
    "retrievers": 3,
    "nodes": 4,
    "graph": 5,
    "evaluation": 6,
    "app": 7,
}
WITHIN = {
    "anamnesis.language": 1,
    "anamnesis.corpus": 2,
    "anamnesis.models": 2,
    "anamnesis.memory": 3,
}
"""Rooms of ``anamnesis`` that have a floor of their own."""
# Not installed: what the project is built and measured with.
TOOLS = {"training": 8, "benchmarks": 9}
ALL = FLOORS | TOOLS
HEIGHTS = ALL | WITHIN
FILES = sorted(path for package in ALL for path in (ROOT / package).rglob("*.py"))
STEPS = (
    "screen recall retrieve rerank generate verify rewrite fallback remember".split()  # in order
)


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for path in FILES}


def folder_of(module: str) -> str:
    """The folder that has a floor, of a module or of something in one."""
    own = ".".join(module.split(".")[:2])
    return own if own in WITHIN else module.split(".")[0]


def imported(path: Path) -> set[str]:
    """The modules of ours that a file imports, in functions too, by their full names."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            within = {f"{node.module}.{alias.name}" for alias in node.names} & set(MODULES)
            names |= within or {node.module}
    return {name for name in names if name.split(".")[0] in ALL}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down_the_floors(path: Path) -> None:
    own = folder_of(name_of(path))
    for other in {folder_of(name) for name in imported(path)} - {own}:
        assert HEIGHTS[other] < HEIGHTS[own], f"{path} imports {other}"


def test_imports_are_absolute() -> None:
    """A relative import would escape the checks of this file, which read full names."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            assert not (isinstance(node, ast.ImportFrom) and node.level), f"{path}:{node.lineno}"


def test_the_tests_mirror_the_code_and_each_step_is_tested_by_itself() -> None:
    tests = sorted((ROOT / "tests").rglob("test_*.py"))
    for path in tests:
        assert (ROOT / path.parent.relative_to(ROOT / "tests")).is_dir(), path
    assert len({path.name for path in tests}) == len(tests)
    assert {f"nodes/test_{step}.py" for step in STEPS} <= {
        path.relative_to(ROOT / "tests").as_posix() for path in tests
    }


def test_nothing_in_nodes_imports_a_step() -> None:
    steps = {f"nodes.{step}" for step in STEPS}
    assert steps <= set(MODULES)
    for path in (ROOT / "nodes").rglob("*.py"):
        assert not imported(path) & steps, path


def test_a_step_is_short() -> None:
    """What a step needs besides its own few functions is in a room."""
    for step in STEPS:
        lines = (ROOT / "nodes" / f"{step}.py").read_text("utf-8").splitlines()
        assert len(lines) <= 100, step


ROOMS = {
    "settings": set(),
    "evidence": set(),
    "cost": set(),
    "question": {"evidence"},
    "checking": {"question", "evidence", "writing.draft", "writing.reading_list"},
    "choosing": {"question", "evidence", "checking", "writing.draft", "writing.sentences"},
    "remembering": {
        "checking",
        "evidence",
        "settings",
        "question.circumstances",
        "question.person",
        "writing.draft",
        "writing.replies",
    },
    "writing": {"settings", "question", "evidence", "checking", "choosing", "cost", "remembering"},
}
"""What each room of ``nodes`` may import of the others: the docstrings say the same."""


def test_rooms_of_nodes_import_what_their_docstrings_allow() -> None:
    found = {path.parent.name for path in (ROOT / "nodes").glob("*/*.py")}
    assert found == set(ROOMS)
    for path in (ROOT / "nodes").glob("*/*.py"):
        room = path.parent.name
        for name in imported(path):
            words = name.split(".")
            if words[0] == "nodes" and len(words) > 2 and words[1] != room:
                assert {words[1], ".".join(words[1:3])} & ROOMS[room], f"{path} imports {name}"


def test_nothing_imports_in_a_circle() -> None:
    needs = {name: imported(path) & set(MODULES) for name, path in MODULES.items()}
    while free := {name for name, others in needs.items() if not others & set(needs) - {name}}:
        needs = {name: others for name, others in needs.items() if name not in free}
    assert not needs


def test_each_room_says_what_belongs_there() -> None:
    rooms = [folder for top in ("nodes", "app") for folder in (ROOT / top).iterdir()]
    rooms = [room for room in rooms if any(room.glob("*.py"))]
    for room in [*rooms, *(ROOT / name.replace(".", "/") for name in WITHIN)]:
        docstring = ast.get_docstring(ast.parse((room / "__init__.py").read_text("utf-8"))) or ""
        assert "imported" in docstring, room


def test_every_package_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    within = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for path in FILES
        if path.name == "__init__.py" and path.relative_to(ROOT).parts[0] in FLOORS
    }
    assert set(FLOORS) <= within
    assert {str(path.parent.relative_to(ROOT)) for path in FILES} >= {
        package.replace(".", "/") for package in within
    }
    assert sorted(project["tool"]["setuptools"]["packages"]) == sorted(within)


@pytest.mark.parametrize(
    "path",
    [*FILES, *sorted((ROOT / "tests").rglob("*.py"))],
    ids=lambda path: str(path.relative_to(ROOT)),
)
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
