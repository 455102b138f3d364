"""Files that are damaged, of another version, or not ours."""

import sqlite3
from pathlib import Path

import pytest

from anamnesis import MemoryFolderError
from memory.store import Memories
from tests.memory.conftest import Make

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


def test_a_record_that_cannot_be_read_is_named(kept: Memories, folder: Path, make: Make) -> None:
    [memory] = kept.add("ann", [make("gout")])
    base = sqlite3.connect(folder / "memories.sqlite")
    base.execute("update memories set record = '{}'")
    base.commit()
    base.close()
    with pytest.raises(MemoryFolderError, match=memory.id):
        kept.all("ann")


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
