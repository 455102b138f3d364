"""What is said where a program that uses ours has a package of one of our names."""

import subprocess
import sys
from pathlib import Path

import pytest

from anamnesis import AnamnesisError, NameTakenError
from anamnesis.packages import require_our_packages

ROOT = Path(__file__).parents[2]


def imported_in(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run in a process that looks into a folder before it looks into ours."""
    path = f"import sys; sys.path[:0] = [{str(folder)!r}, {str(ROOT)!r}]; "
    return subprocess.run(
        [sys.executable, "-c", path + code], capture_output=True, text=True, check=False
    )


def test_our_own_packages_pass() -> None:
    require_our_packages("graph", "nodes", "prompts", "retrievers", "evaluation", "app")


def test_what_is_not_found_is_left_to_the_import() -> None:
    require_our_packages("no_such_package_anywhere")


def test_another_programs_package_is_named() -> None:
    with pytest.raises(NameTakenError, match=r"'json'.*json/__init__\.py.*Rename") as caught:
        require_our_packages("graph", "json")
    assert isinstance(caught.value, AnamnesisError)
    assert caught.value.name == "json"


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("nodes/__init__.py", "from graph import graph"),
        ("prompts.py", "from nodes.settings.context import Context"),
        ("retrievers/__init__.py", "import evaluation.metrics"),
        ("graph.py", "import app.cli.main"),
    ],
)
def test_the_first_import_says_whose_file_was_found(tmp_path: Path, theirs: str, ours: str) -> None:
    file = tmp_path / theirs
    file.parent.mkdir(exist_ok=True)
    file.write_text("")
    done = imported_in(tmp_path, ours)
    assert done.returncode != 0
    said = done.stderr.splitlines()[-1]
    assert "NameTakenError" in said
    assert f"{Path(theirs).parts[0].removesuffix('.py')!r}, but Python finds {file}" in said
    assert "Rename" in said


def test_a_name_that_nothing_imports_is_free(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__init__.py").write_text("")
    (tmp_path / "models.py").write_text("")
    done = imported_in(tmp_path, "from graph import Context; from anamnesis.models import chat")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("taken", [False, True])
def test_the_command_says_whose_package_was_found(tmp_path: Path, taken: bool) -> None:
    file = tmp_path / "app" / "__init__.py"
    if taken:
        file.parent.mkdir()
        file.write_text("")
    done = imported_in(
        tmp_path, "from anamnesis.__main__ import main; sys.argv[1:] = ['--help']; sys.exit(main())"
    )
    if taken:
        assert done.returncode == 2
        assert done.stderr.startswith(
            f"anamnesis: Anamnesis needs its package 'app', but Python finds {file}. Rename"
        )
    else:
        assert done.returncode == 0
        assert done.stdout.startswith("usage: ")
