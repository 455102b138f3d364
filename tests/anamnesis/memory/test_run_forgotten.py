"""What a run says that began before all of its user's memories were deleted is not kept."""

import time
from pathlib import Path

import pytest

from anamnesis.memory.opening import forgotten
from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from tests.fakes import HashEmbedder


def make(text: str, owner: str = "ann") -> Memory:
    return Memory.make(owner=owner, kind="question", text=text)


@pytest.mark.parametrize("earlier", [[], ["I have gout."]])
def test_only_runs_that_begin_later_are_kept(tmp_path: Path, earlier: list[str]) -> None:
    kept = Memories(tmp_path / "memory", HashEmbedder())
    kept.add("ann", [make(text) for text in earlier])
    begun = time.time()
    assert kept.delete("ann") == len(earlier)
    # Another process knows it as well.
    other = Memories(tmp_path / "memory", HashEmbedder())
    assert other.add("ann", [make("I have asthma.")], begun) == []
    assert other.all("ann") == []
    assert len(other.add("bob", [make("I have asthma.", "bob")], begun)) == 1
    assert len(other.add("ann", [make("I have asthma.")], time.time() + 1)) == 1
    assert len(other.add("ann", [make("I have hay fever.")])) == 1


def test_one_memory_that_is_deleted_ends_no_run(tmp_path: Path) -> None:
    kept = Memories(tmp_path / "memory", HashEmbedder())
    begun = time.time()
    [one] = kept.add("ann", [make("I have gout.")])
    kept.delete("ann", [one.id])
    assert len(kept.add("ann", [make("I have asthma.")], begun)) == 1


def test_when_all_was_deleted_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    assert forgotten("ann") == 0
    assert not (tmp_path / "memory").exists()
    before = time.time()
    Memories(tmp_path / "memory", HashEmbedder()).delete("ann")
    assert before <= forgotten("ann") <= time.time() + 0.001
    assert forgotten("bob") == 0
