"""Memories encrypted on disk: proven on the bytes of every file; found and deleted as before."""

import time
from pathlib import Path

import pytest

from anamnesis import MemoryFolderError, SettingError
from anamnesis.memory import replies
from anamnesis.memory.database import Database
from anamnesis.memory.encryption import KEY, KEY_FILE, cipher, new_key
from anamnesis.memory.resealing import reseal
from anamnesis.memory.store import Memories
from app.cli.main import main
from tests.anamnesis.memory.conftest import Make

SECRET = "Zanzibar syndrome of the left elbow"
REPLY = "Quokka fever is rare"


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.delenv(KEY_FILE, raising=False)
    text = new_key()
    monkeypatch.setenv(KEY, text)
    return text


def words_in(folder: Path, *texts: str) -> list[str]:
    """The files below a folder that hold a text, in any case, or a long word of it."""
    wanted = [word.casefold().encode() for text in texts for word in text.split() if len(word) > 5]
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [file.name for file in files if any(w in file.read_bytes().lower() for w in wanted)]


def tokens_in(folder: Path) -> list[bytes]:
    """What is encrypted in the folder's file, as its bytes stand there."""
    with Database(folder, checks_key=False).reading() as base:
        return [str(record).encode() for (record,) in base.execute("select record from memories")]


def keep_reply(folder: Path) -> None:
    replies.keep(Database(folder), "ann", "k", REPLY, time.time(), 5)


def test_no_word_of_a_user_is_readable_in_any_file(
    kept: Memories, make: Make, folder: Path, key: str
) -> None:
    [memory] = kept.add("ann", [make(SECRET)])
    keep_reply(folder)
    assert words_in(folder, SECRET, REPLY) == []
    assert replies.find(Database(folder), "k") == REPLY
    assert [memory.text for memory in kept.all("ann")] == [SECRET]
    assert kept.nearest("ann", SECRET)[0].memory.id == memory.id


def test_without_a_key_they_are_readable(kept: Memories, make: Make, folder: Path) -> None:
    kept.add("ann", [make(SECRET)])
    assert words_in(folder, SECRET) == ["memories.sqlite"]


def test_what_says_the_same_is_found_by_its_digest(kept: Memories, make: Make, key: str) -> None:
    [first] = kept.add("ann", [make(SECRET)])
    [again] = kept.add("ann", [make(SECRET.upper())])
    assert again.id == first.id
    [other] = kept.add("ann", [make("I take aspirin")])
    with pytest.raises(SettingError, match="another memory has the same content"):
        kept.edit("ann", other.id, SECRET)


def test_a_deletion_leaves_no_byte_of_what_was_encrypted(
    kept: Memories, make: Make, folder: Path, key: str
) -> None:
    kept.add("ann", [make(SECRET), make("I take aspirin")])
    gone = tokens_in(folder)
    kept.delete("ann")
    assert len(gone) == 2
    for path in folder.rglob("*"):
        if path.is_file():
            assert not [piece for piece in gone if piece[20:60] in path.read_bytes()], path


def test_another_key_or_none_opens_nothing_and_says_so(
    kept: Memories, make: Make, folder: Path, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.add("ann", [make(SECRET)])
    monkeypatch.setenv(KEY, new_key())
    with pytest.raises(MemoryFolderError, match="is encrypted with another key"):
        kept.all("ann")
    monkeypatch.delenv(KEY)
    for call in (lambda: kept.all("ann"), lambda: kept.add("ann", [make("new")])):
        with pytest.raises(MemoryFolderError, match="are encrypted; set ANAMNESIS_MEMORY_KEY"):
            call()
    monkeypatch.setenv(KEY, key)
    assert [memory.text for memory in kept.all("ann")] == [SECRET]


def test_a_folder_is_never_half_encrypted(
    kept: Memories, make: Make, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.add("ann", [make(SECRET)])
    keep_reply(folder)
    monkeypatch.setenv(KEY, new_key())
    with pytest.raises(MemoryFolderError, match="anamnesis memory encrypt"):
        kept.add("ann", [make("new")])
    assert reseal(folder, "encrypt") == 2
    assert words_in(folder, SECRET, REPLY) == []
    assert [memory.text for memory in kept.all("ann")] == [SECRET]
    assert replies.find(Database(folder), "k") == REPLY
    with pytest.raises(MemoryFolderError, match="are encrypted already"):
        reseal(folder, "encrypt")
    assert reseal(folder, "decrypt") == 2
    monkeypatch.delenv(KEY)
    assert [memory.text for memory in kept.all("ann")] == [SECRET]


def test_a_key_is_replaced(
    kept: Memories, make: Make, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, old, new = tmp_path / "keys", new_key(), new_key()
    file.write_text(f"{old}\n", "ascii")
    monkeypatch.setenv(KEY_FILE, str(file))
    kept.add("ann", [make(SECRET)])
    before = tokens_in(folder)
    file.write_text(f"{new}\n{old}\n", "ascii")
    # Equal texts have another digest by another key: nothing is written before all are changed.
    with pytest.raises(MemoryFolderError, match="anamnesis memory rekey"):
        kept.add("ann", [make("new")])
    assert reseal(folder, "rekey") == 1
    file.write_text(f"{new}\n", "ascii")
    assert [memory.text for memory in kept.all("ann")] == [SECRET]
    [again] = kept.add("ann", [make(SECRET)])
    assert len(kept.all("ann")) == 1
    assert again.text == SECRET
    data = (folder / "memories.sqlite").read_bytes()
    assert not [piece for piece in before if piece[20:60] in data]


def test_a_folder_that_cannot_be_changed_stays_as_it_was(
    kept: Memories, make: Make, folder: Path, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(MemoryFolderError, match="contains no memories"):
        reseal(folder, "encrypt")
    kept.add("ann", [make(SECRET)])
    monkeypatch.setenv(KEY, new_key())
    for change in ("rekey", "decrypt"):
        with pytest.raises(MemoryFolderError, match="another key"):
            reseal(folder, change)  # type: ignore[arg-type]
    monkeypatch.delenv(KEY)
    with pytest.raises(SettingError, match="no key is set"):
        reseal(folder, "rekey")
    monkeypatch.setenv(KEY, key)
    assert [memory.text for memory in kept.all("ann")] == [SECRET]


@pytest.mark.parametrize("wrong", ["key", "c2hvcnQ=", "ä" * 44])
def test_a_key_that_is_none_is_refused_and_not_shown(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, wrong)
    with pytest.raises(SettingError, match="new-key") as found:
        cipher()
    assert wrong not in str(found.value).replace("memory new-key", "").replace("valid key", "")


def test_a_key_file_must_be_readable_and_hold_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_FILE, str(tmp_path / "none"))
    with pytest.raises(SettingError, match="cannot be read"):
        cipher()
    (tmp_path / "none").write_text("\n")
    with pytest.raises(SettingError, match="contains no key"):
        cipher()
    monkeypatch.setenv(KEY, new_key())
    with pytest.raises(SettingError, match="both set"):
        cipher()


def test_the_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], make: Make
) -> None:
    from anamnesis.memory.opening import open_memories

    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    assert main(["memory", "new-key"]) == 0
    key = capsys.readouterr().out.strip()
    open_memories().add("ann", [make(SECRET)])
    assert main(["memory", "encrypt"]) == 2
    assert "no key is set" in capsys.readouterr().err
    monkeypatch.setenv(KEY, key)
    assert main(["memory", "list", "--user", "ann"]) == 2
    assert "anamnesis memory encrypt" in capsys.readouterr().err
    assert main(["memory", "encrypt"]) == 0
    assert "1 entries (memories and replies) are encrypted" in capsys.readouterr().out
    assert main(["memory", "list", "--user", "ann"]) == 0
    assert SECRET in capsys.readouterr().out
    assert words_in(tmp_path / "memory", SECRET) == []
