"""Stand-ins in place of the models of ``anamnesis reproduce``, and a folder for its data."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import HashEmbedder, NoReranker


@pytest.fixture
def stand_ins(monkeypatch: pytest.MonkeyPatch, new_home: Path) -> None:
    monkeypatch.setattr("evaluation.reproduce.running.load_embedder", lambda _: HashEmbedder())
    monkeypatch.setattr("evaluation.methods.load_reranker", lambda _: NoReranker())


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


def put(file: Path, rows: list[dict[str, Any]]) -> None:
    """Write the rows as lines of JSON."""
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
