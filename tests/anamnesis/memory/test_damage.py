"""Files that are damaged, of another version, or not ours."""

import sqlite3
from pathlib import Path

import pytest

from anamnesis import MemoryFolderError
from anamnesis.memory.database import Database
from anamnesis.memory.store import Memories
from tests.anamnesis.memory.conftest import Make
from tests.fakes import HashEmbedder

ANY_ID = "0" * 32


def test_a_folder_of_a_later_version_is_refused(kept: Memories, folder: Path, make: Make) -> None:
    kept.add("ann", [make("gout")])
    base = sqlite3.connect(folder / "memories.sqlite")
    base.execute("pragma user_version = 9")
    base.close()
    with pytest.raises(MemoryFolderError, match="version 9"):
        kept.all("ann")


def test_a_damaged_file_is_said(kept: Memories, folder: Path, make: Make) -> None:
    folder.mkdir()
    (folder / "memories.sqlite").write_bytes(b"no database " * 100)
    with pytest.raises(MemoryFolderError, match="restored"):
        kept.add("ann", [make("gout")])


def test_nothing_is_written_with_a_connection_for_reading(
    kept: Memories, folder: Path, make: Make
) -> None:
    [memory] = kept.add("ann", [make("gout")])
    with pytest.raises(MemoryFolderError, match="readonly"), Database(folder).reading() as opened:
        opened.execute("delete from memories")
    assert kept.all("ann") == [memory]


def test_a_record_that_cannot_be_read_is_named(kept: Memories, folder: Path, make: Make) -> None:
    [memory] = kept.add("ann", [make("gout")])
    base = sqlite3.connect(folder / "memories.sqlite")
    base.execute("update memories set record = '{}'")
    base.commit()
    base.close()
    with pytest.raises(MemoryFolderError, match=memory.id):
        kept.all("ann")


def test_a_damaged_record_keeps_nobody_from_the_others_and_can_be_deleted(
    kept: Memories, folder: Path, make: Make
) -> None:
    [gout, rash] = kept.add("ann", [make("gout"), make("rash")])
    [note] = kept.add("eve", [make("a note", owner="eve", scope="expert")])
    kept.add("bob", [make("cough", owner="bob")])
    base = sqlite3.connect(folder / "memories.sqlite")
    base.execute("update memories set record = '{}' where id in (?, ?)", [gout.id, note.id])
    base.commit()
    base.close()
    assert [one.memory for one in kept.nearest("ann", "rash")] == [rash]
    assert [one.memory.text for one in kept.nearest("bob", "cough")] == ["cough"]
    kept.count_recalls("ann", [gout.id, rash.id])
    assert kept.get("ann", rash.id).recalls == 1
    assert kept.delete("ann", [gout.id]) == 1
    assert [memory.id for memory in kept.all("ann")] == [rash.id]
    assert kept.delete("eve") == 1


def test_vectors_of_other_records_are_made_anew(kept: Memories, folder: Path, make: Make) -> None:
    kept.add("ann", [make("gout")])
    backup = (folder / "memories.sqlite").read_bytes()
    kept.delete("ann")
    kept.add("ann", [make("rash")])
    (folder / "memories.sqlite").write_bytes(backup)
    for reader in (kept, Memories(folder, HashEmbedder())):
        assert [one.memory.text for one in reader.nearest("ann", "gout")] == ["gout"]


def test_records_that_lack_what_was_added_since_are_read(
    kept: Memories, folder: Path, make: Make
) -> None:
    [memory] = kept.add("ann", [make("gout", recalls=2)])
    base = sqlite3.connect(folder / "memories.sqlite")
    for name in ("superseded_by", "audience", "rating", "agent"):
        base.execute("update memories set record = json_remove(record, ?)", [f"$.{name}"])
    base.commit()
    base.close()
    assert kept.all("ann") == [memory]
    assert kept.rate("ann", memory.id, correct=True).rating == "good"


def test_a_file_of_no_version_that_is_not_ours_is_refused_and_left_alone(
    kept: Memories, folder: Path, make: Make
) -> None:
    folder.mkdir()
    base = sqlite3.connect(folder / "memories.sqlite")
    base.execute("create table memories (text)")
    base.execute("insert into memories values ('gout')")
    base.commit()
    base.close()
    with pytest.raises(MemoryFolderError, match="already exists"):
        kept.add("ann", [make("gout")])
    base = sqlite3.connect(folder / "memories.sqlite")
    assert base.execute("select * from memories").fetchall() == [("gout",)]
    base.close()
