"""The layout: imports go down the floors and never in a circle, and rooms say what they are."""

import ast
import re
import tomllib
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from subprocess import run

import pytest

from graph.build import STEPS

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
JOINING = {f"nodes.{name}" for name in (*STEPS, "routes")}
"""The files of ``nodes`` that put its rooms together; ``state`` and the like are below them."""


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for path in FILES}


def folder_of(module: str) -> str:
    """The folder that has a floor, of a module or of something in one."""
    text = ".".join(module.split(".")[:2])
    return text if text in WITHIN else module.split(".")[0]


@cache
def imports(path: Path) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """What a file imports, in functions too."""
    tree = ast.parse(path.read_text("utf-8"))
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))


@cache
def imported(path: Path) -> frozenset[str]:
    """The modules of ours that a file imports, in functions too, by their full names."""
    names = set()
    for node in imports(path):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif node.module and not node.level:
            within = {f"{node.module}.{alias.name}" for alias in node.names} & set(MODULES)
            names |= within or {node.module}
    return frozenset(name for name in names if name.split(".")[0] in ALL)


# One test for all files, here and below: a thousand tests of some microseconds each took seconds.
def test_imports_go_down_the_floors() -> None:
    assert {name_of(path).split(".")[0] for path in FILES} == set(ALL)
    wrong = []
    for path in FILES:
        text = folder_of(name_of(path))
        for other in {folder_of(name) for name in imported(path)} - {text}:
            if HEIGHTS[other] >= HEIGHTS[text]:
                wrong.append(f"{path.relative_to(ROOT)} imports {other}")
    assert not wrong


def test_imports_are_absolute() -> None:
    """A relative import would escape the checks of this file, which read full names."""
    for path in FILES:
        for node in imports(path):
            assert not (isinstance(node, ast.ImportFrom) and node.level), f"{path}:{node.lineno}"


ELSEWHERE = ROOT / "tests" / "elsewhere.tsv"
"""Modules without a test file of their name: the file that tests each of them, and the reason."""


def elsewhere() -> dict[str, list[str]]:
    rows = [line.split("\t") for line in ELSEWHERE.read_text("utf-8").splitlines()[1:]]
    assert all(len(row) == 3 and all(row) for row in rows)
    assert [row[0] for row in rows] == sorted({row[0] for row in rows})
    found = {module: files.split() for module, files, _ in rows}
    assert all((ROOT / "tests" / file).is_file() for files in found.values() for file in files)
    return found


def test_the_tests_mirror_the_code() -> None:
    """Each module of the packages has a test file of its name in the same folder, or is listed.

    The test of ``nodes/writing/draft.py`` is ``tests/nodes/writing/test_draft.py``. Names of test
    files are unique, so where two modules have the same name, that of the room stands before it:
    ``tests/nodes/checking/test_checking_verdicts.py``. Further test files have names of their own.
    """
    tests = sorted((ROOT / "tests").rglob("test_*.py"))
    for path in tests:
        assert (ROOT / path.parent.relative_to(ROOT / "tests")).is_dir(), path
    assert len({path.name for path in tests}) == len(tests)
    listed = elsewhere()
    modules = [path for folder in FLOORS for path in (ROOT / folder).rglob("[!_]*.py")]
    assert set(listed) <= {str(path.relative_to(ROOT)) for path in modules}
    for module in sorted(modules):
        room, name = module.parent.name, module.stem
        folder = ROOT / "tests" / module.parent.relative_to(ROOT)
        paths = {folder / f"test_{name}.py", folder / f"test_{room}_{name}.py"} & set(tests)
        assert len(paths) <= 1, paths
        other = str(module.relative_to(ROOT)) in listed
        assert bool(paths) != other, f"{module}: {paths or 'no test file'}"


def test_fake_chat_models_are_made_once() -> None:
    """In ``tests/fakes.py`` and fixtures. Those of one more file read replies by themselves."""
    files = {*(ROOT / "tests").rglob("test_*.py")}
    for path in files - {ROOT / "tests" / "anamnesis" / "models" / "test_structured.py"}:
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "ChatModel)" in text else ():
            bases = node.bases if isinstance(node, ast.ClassDef) else []
            assert not any(ast.unparse(base).endswith("ChatModel") for base in bases), path


def test_nodes_has_the_steps_and_what_they_share_at_its_top() -> None:
    """Whatever else serves the steps is in a room; the settings are a room because of their groups.

    ``nodes`` has no other file, and its other folders are rooms, which its docstring lists.
    """
    top = {path.stem for path in (ROOT / "nodes").glob("*.py")} - {"__init__"}
    rooms = {room.removeprefix("nodes.") for room in ROOMS if room.startswith("nodes.")}
    assert top == {*STEPS, "state", "policy", "parts", "routes"}
    assert "settings" in rooms
    docstring = ast.get_docstring(ast.parse(MODULES["nodes"].read_text("utf-8"))) or ""
    assert set(re.findall(r"^    (\w+)  ", docstring, re.MULTILINE)) == rooms


def test_nothing_in_nodes_imports_a_step() -> None:
    steps = {f"nodes.{step}" for step in STEPS}
    assert steps <= set(MODULES)
    for path in (ROOT / "nodes").rglob("*.py"):
        assert not imported(path) & steps, path


def test_a_step_is_short() -> None:
    """What a step needs besides its own few functions is in a room."""
    for step in STEPS:
        lines = (ROOT / "nodes" / f"{step}.py").read_text("utf-8").splitlines()
        assert len(lines) <= 61, step


ROOMS = [
    name
    for name, path in MODULES.items()
    if path.name == "__init__.py" and name.split(".")[0] in FLOORS
]
"""Every folder of the code that is installed."""
PERMISSION = re.compile(r"(?:(below|top of) )?``([\w.]+)``")


def room_of(module: str) -> str:
    return module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]


def permissions(room: str) -> set[tuple[str, str]]:
    """What the docstring of a room says may be imported: (how, name), the only list of it.

    With *below*, this is everything on a lower floor than ``name``; with *top of*, the files of
    that folder without the folders in it; otherwise ``name`` and everything in it.
    """
    docstring = ast.get_docstring(ast.parse(MODULES[room].read_text("utf-8"))) or ""
    _, found, text = " ".join(docstring.split()).rpartition("Modules here may import only: ")
    assert found, f"the docstring of {room} does not say what may be imported"
    return set(PERMISSION.findall(text))


def permits(permission: tuple[str, str], module: str) -> bool:
    how, name = permission
    if how == "below":
        return HEIGHTS[folder_of(module)] < HEIGHTS[name]
    return room_of(module) == name if how else f"{module}.".startswith(f"{name}.")


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_exactly_what_its_docstring_permits(room: str) -> None:
    """A file that imports more fails, and so does a permission that no file needs."""
    granted = permissions(room)
    needed: set[tuple[str, str]] = set()
    for module, path in MODULES.items():
        for other in imported(path) & set(MODULES) if room_of(module) == room else ():
            if room_of(other) != room:
                fitting = {each for each in granted if permits(each, other)}
                assert fitting, f"{path} imports {other}"
                needed |= fitting
    assert needed == granted


def part_of(module: str) -> str:
    """The room of a module; in ``nodes`` the files that join the rooms count apart."""
    return "nodes (the steps)" if module in JOINING else room_of(module)


def circle(needs: Mapping[str, Collection[str]]) -> list[str]:
    """Names each of which needs the next one, and the last the first; empty if there is none."""
    left = {name: set(others) - {name} for name, others in needs.items()}
    while free := {name for name, others in left.items() if not others & set(left)}:
        left = {name: others for name, others in left.items() if name not in free}
    walked = sorted(left)[:1]
    while walked:
        following = min(left[walked[-1]] & set(left))
        if following in walked:
            return walked[walked.index(following) :]
        walked.append(following)
    return []


def test_a_circle_is_found() -> None:
    assert circle({"a": ["b"], "b": ["c", "b"], "c": []}) == []
    assert circle({"a": ["b"], "b": ["c"], "c": ["d", "b"], "d": []}) == ["b", "c"]


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert not circle({name: imported(path) & set(MODULES) for name, path in MODULES.items()})


def test_no_rooms_import_each_other_in_a_circle() -> None:
    """Rooms can be read from the lowest one up, and moved without those above them."""
    imports: dict[str, dict[str, list[str]]] = {part_of(room): {} for room in ROOMS}
    for module, path in MODULES.items():
        for other in imported(path) & set(MODULES) if room_of(module) in ROOMS else ():
            if part_of(other) != part_of(module):
                needed = imports.setdefault(part_of(module), {}).setdefault(part_of(other), [])
                needed.append(f"{module} imports {other}")
    found = circle(imports)
    steps = zip(found, [*found[1:], *found[:1]], strict=True)
    assert not found, "\n".join(line for a, b in steps for line in (f"{a} → {b}:", *imports[a][b]))


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


def test_no_file_has_more_than_300_lines() -> None:
    every = [*FILES, *(ROOT / "tests").rglob("*.py")]
    lines = {
        str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines()) for path in every
    }
    assert "tests/test_house.py" in lines
    assert not {path: count for path, count in lines.items() if count > 300}


def test_nothing_is_pickled() -> None:
    for path in FILES:
        assert "pickle" not in imported_names(path), path


def imported_names(path: Path) -> set[str]:
    return {alias.name.split(".")[0] for node in imports(path) for alias in node.names}


def test_what_is_skipped_without_its_engine_is_run_by_make_test_engines() -> None:
    made = run(["make", "-n", "test-engines"], cwd=ROOT, capture_output=True, text=True, check=True)
    marks = {"NOT_HERE", "ON_MILVUS", "ON_A_MILVUS_SERVER", "RAY", "Engine"}
    skipped = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Name) and node.id in marks
    }
    assert {"tests/retrievers/test_postgres_rounds.py"} < skipped
    assert skipped <= set(re.findall(r"tests/\S+\.py", made.stdout))
