from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from tests.fakes import HashEmbedder

Make = Callable[..., Memory]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def kept(folder: Path) -> Memories:
    return Memories(folder, HashEmbedder())


@pytest.fixture
def make() -> Make:
    def made(text: str, owner: str = "ann", **fields: Any) -> Memory:
        return Memory.make(**{"owner": owner, "kind": "question", "text": text, **fields})

    return made
