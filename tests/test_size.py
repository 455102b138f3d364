"""The figures of size, on a small checkout that is counted by hand."""

from pathlib import Path

from nodes.settings.context import Context
from nodes.settings.names import fields
from tests.size import settings, size
from tests.test_house import ROOT

SETTINGS = """from pydantic import BaseModel, Field


class LoopSettings(BaseModel):
    rounds: int = Field(3)
    share: float = Field(0.7)


class Context(BaseModel):
    loop: LoopSettings = Field(LoopSettings())
    user: str | None = Field(None)


class Other(BaseModel):
    name: str = Field("")
"""


def test_a_checkout_is_counted(tmp_path: Path) -> None:
    for folder in ("nodes/question", "nodes/settings", "tests", "training"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / "nodes/__init__.py").touch()
    (tmp_path / "nodes/settings/context.py").write_text(SETTINGS, "utf-8")
    colours = "red orange yellow green blue violet black white"
    short = "def own(text):\n    return re.compile(text)\n\n\nA, B = own('a'), own('b')"
    text = f'import re\n\n{short}\nC = re.compile("c")\nCOLOURS = "{colours}".split()\n'
    (tmp_path / "nodes/question/sizes.py").write_text(text, "utf-8")
    (tmp_path / "tests/test_it.py").write_text("\n\n", "utf-8")
    (tmp_path / "training/own.py").write_text(text, "utf-8")
    (tmp_path / "anamnesis/language/lexicon").mkdir(parents=True)
    (tmp_path / "anamnesis/language/lexicon/own.tsv").write_text(
        f"source\nshort\tone two\nlong\t{colours}\n\tbrown\n", "utf-8"
    )
    figures = size(tmp_path)
    assert figures["product files"] == 5
    assert figures["product lines"] == len(SETTINGS.splitlines()) + 9
    assert figures["test lines"] == 2
    assert figures["files at the top of nodes/"] == 1
    assert figures["files in nodes/ and its folders"] == 5
    assert figures["compiled patterns"] == 3
    assert figures["word lists"] == 2
    assert figures["words in them"] == 8 + 9
    assert figures["word lists in code"] == 1
    assert figures["words in those"] == 8
    assert figures["settings"] == 3


def test_the_settings_are_those_that_a_run_has() -> None:
    assert settings(ROOT) == len(fields(Context))
