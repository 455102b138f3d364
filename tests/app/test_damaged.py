"""Each file of the data folder, damaged in each way: one line that names it and says what to do."""

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis import AnamnesisError
from anamnesis.memory import index, vectors
from anamnesis.memory.opening import open_memories
from anamnesis.memory.record import Memory
from anamnesis.paths import default_memory
from app.cli.main import main
from app.server.persistence import checkpointer, store
from app.trace import runs as trace
from app.users.tokens import add_token
from tests.app.server.test_server_persistence import turn


def flipped(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    for place in {0, len(raw) // 2}:
        raw[place : place + 64] = bytes(byte ^ 0xFF for byte in raw[place : place + 64])
    path.write_bytes(raw)


def flipped_within(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    place = len(raw) * 2 // 3
    raw[place : place + 64] = bytes(byte ^ 0xFF for byte in raw[place : place + 64])
    path.write_bytes(raw)


def truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size * 2 // 3)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def of_another_type(path: Path) -> None:
    path.unlink()
    path.mkdir()


def other_content(path: Path) -> None:
    path.write_text('{"schema": 1, "files": [[]]}\n')


DAMAGES = [flipped, flipped_within, truncated, emptied, of_another_type, other_content]
Damage = Callable[[Path], None]
damaged = pytest.mark.parametrize("damage", DAMAGES)


@pytest.fixture
def home(starter_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with an index, and nothing else."""
    shutil.copytree(starter_home / "index", tmp_path / "index")
    (tmp_path / "models").symlink_to(starter_home / "models")
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    """The one line that a command ends with."""
    assert main(command) == 2, command
    message = capsys.readouterr().err
    assert message.startswith("anamnesis: ")
    assert message.count("\n") == 1, message
    return message


@damaged
def test_the_files_of_an_index(
    home: Path, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = home / "whole"
    (home / "index").rename(whole)
    files = [path.relative_to(whole) for path in whole.rglob("*") if path.is_file()]
    assert len(files) > 10
    for name in files:
        if name.name == "lock":
            continue
        shutil.copytree(whole, home / "index")
        damage(home / "index" / name)
        text = said(capsys, "retrieve", "asthma", "--method", "sparse")
        assert name.name in text or name.name == "manifest.json"
        assert str(home / "index") in text
        assert "anamnesis index" in text
        shutil.rmtree(home / "index")


def test_passages_that_are_damaged_while_they_are_read(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from retrievers.index import Index

    index = Index.open(home / "index")
    [path] = home.rglob("passages.sqlite")
    flipped(path)
    with pytest.raises(AnamnesisError, match=r"passages\.sqlite cannot be read"):
        index.find(["asthma"])


def test_provenance_that_is_damaged_while_it_is_read(home: Path) -> None:
    from retrievers.index import Index

    index = Index.open(home / "index")
    [path] = home.rglob("provenance.sqlite")
    flipped(path)
    with pytest.raises(AnamnesisError, match=r"provenance\.sqlite cannot be read"):
        index.provenance(["asthma"])


@damaged
def test_the_tokens(home: Path, damage: Damage, capsys: pytest.CaptureFixture[str]) -> None:
    add_token("ann")
    damage(home / "tokens.json")
    text = said(capsys, "token", "list")
    assert str(home / "tokens.json") in text
    assert "restore it" in text


# A change within a text is not noticed: a trace has no checksum.
@pytest.mark.parametrize("damage", [damage for damage in DAMAGES if damage is not flipped_within])
def test_a_trace(home: Path, damage: Damage, capsys: pytest.CaptureFixture[str]) -> None:
    taken = trace.Step(
        step=1, node="screen", ms=1.0, took={}, gave={}, to=None, why=None, state={"a": "é" * 999}
    )
    run = trace.record("What is asthma?", {}, [taken])
    damage(home / "traces" / f"{run}.jsonl")
    text = said(capsys, "trace", "show", str(run))
    assert str(run) in text


def remembered(home: Path) -> None:
    texts = [f"My question number {number} is about asthma." for number in range(60)]
    open_memories().add("ann", [Memory.make(owner="ann", kind="question", text=t) for t in texts])
    assert any((home / "memory").iterdir())


@damaged
def test_the_memories(home: Path, damage: Damage, capsys: pytest.CaptureFixture[str]) -> None:
    remembered(home)
    damage(default_memory() / "memories.sqlite")
    text = said(capsys, "memory", "list", "--user", "ann")
    assert str(default_memory()) in text
    assert "restore" in text.lower()


def as_a_new_process() -> None:
    """Nothing of the vectors is held in memory."""
    vectors.Vectors(default_memory() / "vectors", None).reopen()
    vectors._cleaned_folders.clear()
    index._read_at.clear()


@damaged
def test_the_vectors_of_memories(
    home: Path, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    remembered(home)
    there, whole = home / "memory" / "vectors", home / "whole"
    files = [path.relative_to(there) for path in there.rglob("*") if path.is_file()]
    assert len(files) >= 4
    as_a_new_process()
    shutil.copytree(home / "memory", whole)
    for name in files:
        shutil.rmtree(home / "memory")
        shutil.copytree(whole, home / "memory")
        damage(there / name)
        code = main(["memory", "delete", "--all", "--yes", "--user", "ann"])
        message = capsys.readouterr().err
        if code == 0:
            # What the vectors are needed for can be done without this file.
            assert open_memories().all("ann") == []
        else:
            assert message.count("\n") == 1
            assert str(there) in message
            # The remedy that it names.
            shutil.rmtree(there)
            as_a_new_process()
            assert len(open_memories().nearest("ann", "asthma")) == 20
        as_a_new_process()


async def filled(name: str) -> None:
    if name == "store":
        async with store() as kept:
            for number in range(20):
                await kept.aput(("notes",), str(number), {"text": "asthma" * 200})
    else:
        async with checkpointer() as saver:
            for number in range(5):
                await turn(saver, str(number), "a")


# A change within a text is not noticed: there are no checksums in SQLite.
@pytest.mark.parametrize("damage", [damage for damage in DAMAGES if damage is not flipped_within])
@pytest.mark.parametrize("name", ["threads", "store"])
def test_the_servers_own_files(home: Path, damage: Damage, name: str) -> None:
    asyncio.run(filled(name))
    path = home / f"{name}.sqlite"
    assert not [*home.glob(f"{name}.sqlite-*")]
    damage(path)
    if damage is emptied:
        asyncio.run(filled(name))  # a new file begins like that
        return
    with pytest.raises(AnamnesisError, match=f"{path} is damaged"):
        asyncio.run(filled(name))
