"""The table of retrieval methods: what follows from an entry, and that only it has the names."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrievers import methods
from retrievers.methods import (
    FURTHER,
    RETRIEVERS,
    Retriever,
    guarantees_a_passage,
    of_passages,
    title,
)

ROOT = Path(__file__).parents[2]
CHOSEN = ("nodes/settings/presets.py", "evaluation/papers.py", "evaluation/page.py")
"""What chooses among the methods: presets and the tables of published figures."""


def texts(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_no_other_module_repeats_the_names_of_methods() -> None:
    # A format of prompts and one of files are named `facts` as well, and a setting `rank-bm25`.
    names = {*RETRIEVERS, *FURTHER} - {"facts", "rank-bm25"}
    found = [
        str(path.relative_to(ROOT))
        for folder in ("nodes", "graph", "app", "evaluation")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "reproduce" not in path.parts and names & set(texts(path))
    ]
    assert not set(found) - {*CHOSEN, "app/evaluate/everything.py"}


def test_an_entry_says_how_its_list_is_shown_and_used(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = Retriever("passages by chance", lambda *_: [])
    monkeypatch.setitem(methods.RETRIEVERS, "chance", entry)
    assert of_passages()[-1] == "chance"
    assert [title(name) for name in ("sparse", "chance", "a given list")] == [
        "BM25",
        "chance",
        "a given list",
    ]
    assert not guarantees_a_passage("chance", "a given list")
    monkeypatch.setitem(methods.RETRIEVERS, "chance", entry._replace(keeps_place=True))
    assert guarantees_a_passage("chance")
