"""Deletion, proven on the bytes of every file; crashes and other processes."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from anamnesis import MemoryFolderError
from anamnesis.memory.database import Database, state
from anamnesis.memory.store import Memories
from tests.anamnesis.memory.conftest import Make
from tests.fakes import HashEmbedder
from tests.forked import ROOT, forking

SECRET = "Zanzibar syndrome of the left elbow"
OTHER_SECRET = "Quokka fever"
Elsewhere = Callable[..., str]


def traces(folder: Path, text: str) -> list[str]:
    """The files below a folder that hold the text, a long word of it, or a part of its vector."""
    vector = HashEmbedder().embed_queries([text])[0].astype(np.float32)
    wanted = [text.encode(), text.lower().encode(), text.encode("utf-16-le"), vector[:12].tobytes()]
    # Chroma's space divides vectors by their length once more.
    wanted += [(vector / np.linalg.norm(vector)).astype(np.float32)[:12].tobytes()]
    wanted += [word.encode() for word in text.split() if len(word) > 5]
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if any(secret in path.read_bytes() for secret in wanted)]


IMPORTS = """
import os
from pathlib import Path
from anamnesis.memory.index import Index
from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from tests.fakes import HashEmbedder
def made(text, owner='ann'):
    return Memory.make(owner=owner, kind='question', text=text)
"""


@pytest.fixture(scope="module")
def in_another_process() -> Iterator[Elsewhere]:
    """Runs code in a process of its own, and gives its output."""
    with forking(IMPORTS) as forked:

        def run(folder: Path, code: str, status: int = 0) -> str:
            ended = forked(f"kept = Memories(Path({str(folder)!r}), HashEmbedder())\n{code}")
            assert ended.status == status, ended.output
            return ended.output

        yield run


def test_the_proof_would_see_what_is_there(kept: Memories, folder: Path, make: Make) -> None:
    kept.add("ann", [make(SECRET)])
    assert {"memories.sqlite", "chroma.sqlite3"} <= set(traces(folder, SECRET))


def test_one_that_is_deleted_leaves_no_byte_and_the_others_stay(
    kept: Memories, folder: Path, make: Make
) -> None:
    # Enough for Chroma to write its index files, too.
    kept.add("ann", [make(f"cough {n} of {n * n}") for n in range(1100)])
    [secret] = kept.add("ann", [make(SECRET)])
    kept.add("bob", [make("gout", "bob")])
    kept.count_recalls("ann", [secret.id])
    kept.rate("ann", secret.id, correct=True)
    kept.add("ann", [make(SECRET.upper())])
    assert kept.nearest("ann", SECRET)[0].memory.id == secret.id
    assert kept.delete("ann", [secret.id]) == 1
    assert traces(folder, SECRET) == []
    assert len(kept.all("ann")) == 1100
    assert kept.nearest("ann", "cough 7")[0].cosine > 0.5
    assert len(kept.nearest("bob", "gout")) == 1


def test_all_that_are_deleted_leave_no_byte(kept: Memories, folder: Path, make: Make) -> None:
    kept.add("ann", [make(SECRET), make(OTHER_SECRET, scope="expert")])
    kept.add("bob", [make("gout", "bob")])
    assert kept.delete("ann") == 2
    assert traces(folder, SECRET) == traces(folder, OTHER_SECRET) == []
    assert kept.all("ann") == kept.nearest("ann", SECRET) == []
    assert kept.nearest("bob", "gout")[0].cosine > 0.99


def test_what_was_edited_away_leaves_no_byte(kept: Memories, folder: Path, make: Make) -> None:
    [secret] = kept.add("ann", [make(SECRET)])
    kept.edit("ann", secret.id, "nothing")
    assert traces(folder, SECRET) == []


def test_vectors_of_an_earlier_embedder_go_as_well(
    kept: Memories, folder: Path, make: Make
) -> None:
    kept.add("ann", [make(SECRET), make("gout")])
    other = Memories(folder, HashEmbedder("hash-2"))
    secret = next(memory for memory in other.all("ann") if memory.text == SECRET)
    other.delete("ann", [secret.id])
    assert traces(folder, SECRET) == []


def test_a_deletion_that_was_cut_short_is_finished_by_the_next(
    kept: Memories, folder: Path, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.add("ann", [make(SECRET)])
    monkeypatch.setattr(Memories, "sweep", lambda self: None)
    kept.delete("ann")
    assert traces(folder, SECRET)
    monkeypatch.undo()
    Memories(folder, HashEmbedder()).sweep()
    assert traces(folder, SECRET) == []


def test_what_is_deleted_while_files_are_swept_is_swept_as_well(
    kept: Memories, folder: Path, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    [first, _] = kept.add("ann", [make("gout"), make(SECRET)])
    vacuum = Database.vacuum

    def late(base: Database) -> None:
        """Another process deletes when the vectors are swept already."""
        vacuum(base)
        monkeypatch.setattr(Database, "vacuum", vacuum)
        monkeypatch.setattr(Memories, "sweep", lambda self: None)
        Memories(folder, HashEmbedder()).delete("ann")

    monkeypatch.setattr(Database, "vacuum", late)
    kept.delete("ann", [first.id])
    monkeypatch.undo()
    with Database(folder).reading() as base:
        assert state(base, "swept") < state(base, "sweep")
    Memories(folder, HashEmbedder()).sweep()
    assert traces(folder, SECRET) == []


def test_what_another_process_keeps_is_found_at_once(
    kept: Memories, folder: Path, make: Make, in_another_process: Elsewhere
) -> None:
    kept.add("ann", [make("gout")])
    assert kept.nearest("ann", "rash")
    in_another_process(folder, "kept.add('ann', [made('rash')])")
    assert kept.nearest("ann", "rash")[0].memory.text == "rash"
    in_another_process(folder, "kept.delete('ann', [kept.nearest('ann', 'gout')[0].memory.id])")
    assert [one.memory.text for one in kept.nearest("ann", "gout")] == ["rash"]


def test_two_processes_write_at_once_and_nothing_is_lost(
    kept: Memories, folder: Path, make: Make
) -> None:
    start = (
        "import sys; from pathlib import Path; from anamnesis.memory.record import Memory\n"
        "from anamnesis.memory.store import Memories; from tests.fakes import HashEmbedder\n"
        "kept = Memories(Path(sys.argv[1]), HashEmbedder())\n"
        "for n in range(8):\n"
        "    own = Memory.make(owner='ann', kind='question', text=f'{sys.argv[2]} {n}')\n"
        "    kept.add('ann', [own])\n"
        "    assert kept.nearest('ann', f'{sys.argv[2]} {n}')[0].cosine > 0.99\n"
    )
    others = [
        subprocess.Popen([sys.executable, "-c", start, str(folder), name], cwd=ROOT)
        for name in ("measles", "gout")
    ]
    for n in range(8):
        kept.add("ann", [make(f"rash {n}")])
    assert [other.wait(120) for other in others] == [0, 0]
    said = {f"{name} {n}" for name in ("measles", "gout", "rash") for n in range(8)}
    assert {memory.text for memory in kept.all("ann")} == said
    for text in said:
        assert kept.nearest("ann", text)[0].cosine > 0.99


@pytest.mark.parametrize(
    "code",
    [
        # The vectors are written, and the record is not committed.
        "put = Index.put\n"
        "def dies(self, *given):\n    put(self, *given); os._exit(7)\n"
        "Index.put = dies\nkept.add('ann', [made('rash')])",
        # A collection is being written anew, and the deletion is not committed.
        "rewrite = Index.rewrite\n"
        "def dies(self, *given):\n    rewrite(self, *given); os._exit(7)\n"
        "Index.rewrite = dies\nkept.delete('ann', [kept.nearest('ann', 'gout')[0].memory.id])",
        # The records that are not worth keeping are gone, and the files are not swept.
        "from anamnesis.memory.database import Database\n"
        "Database.vacuum = lambda self: os._exit(7)\n"
        "kept.add('bob', [made('rash', 'bob'), made('cough', 'bob')])\n"
        "kept.prune('bob', limit=1)",
        # It is gone, and not yet written anew.
        "from anamnesis.memory.vectors import Vectors\n"
        "def dies(self, *given):\n    os._exit(7)\n"
        "Vectors.put = dies\nkept.delete('ann', [kept.nearest('ann', 'gout')[0].memory.id])",
    ],
)
def test_a_kill_in_the_middle_of_a_change_loses_nothing_that_was_kept(
    kept: Memories, folder: Path, make: Make, code: str, in_another_process: Elsewhere
) -> None:
    kept.add("ann", [make("gout"), make("measles")])
    in_another_process(folder, code, status=7)
    for reader in (kept, Memories(folder, HashEmbedder())):
        assert {memory.text for memory in reader.all("ann")} == {"gout", "measles"}
        assert {one.memory.text for one in reader.nearest("ann", "gout")} == {"gout", "measles"}
        assert reader.nearest("ann", "gout")[0].cosine > 0.99
    kept.add("ann", [make("rash")])
    assert kept.nearest("ann", "rash")[0].cosine > 0.99


def test_a_writer_killed_at_any_moment_loses_nothing_that_was_confirmed(
    kept: Memories, folder: Path, make: Make
) -> None:
    code = (
        "import sys; from pathlib import Path; from anamnesis.memory.record import Memory\n"
        "from anamnesis.memory.store import Memories; from tests.fakes import HashEmbedder\n"
        "kept = Memories(Path(sys.argv[1]), HashEmbedder())\n"
        "for n in range(10_000):\n"
        "    own = Memory.make(owner='ann', kind='question', text=f'rash {n}')\n"
        "    kept.add('ann', [own])\n"
        "    if n % 3 == 2:\n"
        "        kept.delete('ann', [own.id])\n"
        "    print(n, flush=True)\n"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout
    numbers = [int(writer.stdout.readline()) for _ in range(4)]
    writer.kill()  # wherever it is: in the next write, in a deletion, or between two
    numbers += [int(line) for line in writer.stdout.read().split()]
    writer.wait()
    writer.stdout.close()
    reader = Memories(folder, HashEmbedder())
    reader.sweep()
    texts = {memory.text for memory in reader.all("ann")}
    assert texts >= {f"rash {n}" for n in numbers if n % 3 != 2}
    assert not texts & {f"rash {n}" for n in numbers if n % 3 == 2}
    found = {one.memory.text: one.cosine for one in reader.nearest("ann", "rash", n=10_000)}
    assert set(found) == texts
    for text in texts:
        assert reader.nearest("ann", text)[0].cosine > 0.99
    reader.add("ann", [make("gout")])
    assert kept.nearest("ann", "gout")[0].cosine > 0.99


def test_a_full_disk_is_said_and_loses_nothing(
    kept: Memories, folder: Path, make: Make, in_another_process: Elsewhere
) -> None:
    kept.add("ann", [make("gout")])
    size = (folder / "memories.sqlite").stat().st_size
    code = (
        "import resource, signal\n"
        "from anamnesis import MemoryFolderError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "kept.nearest('ann', 'gout')\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n"
        "try:\n    kept.add('ann', [made('rash ' * 1500)])\n"
        "except MemoryFolderError as error:\n    print(error)\n"
    )
    assert "disk has room" in in_another_process(folder, code)
    assert [memory.text for memory in kept.all("ann")] == ["gout"]
    assert kept.nearest("ann", "gout")[0].cosine > 0.99


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path, make: Make) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MemoryFolderError, match="cannot be read or written"):
        Memories(tmp_path / "file" / "memory", HashEmbedder()).add("ann", [make("gout")])
