"""What Chroma's index files hold that nobody put there."""

import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anamnesis import MemoryFolderError
from anamnesis.memory.store import Memories
from tests.anamnesis.memory.conftest import Make
from tests.anamnesis.memory.test_forgetting import SECRET, traces
from tests.forked import forking

PERTURBED = "90"
"""Every piece of memory that is handed out is filled, as it is with what was there before."""


def rubbish(folder: Path) -> list[str]:
    """The index files that hold anything behind their last element."""
    found = []
    for header in folder.rglob("header.bin"):
        elements, size = struct.unpack_from("<2Q", header.read_bytes(), 20)
        for name, width in (("data_level0.bin", size), ("length.bin", 4)):
            found += [name] * any(header.with_name(name).read_bytes()[elements * width :])
    return found


IMPORTS = """
from pathlib import Path
import chromadb
from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from tests.fakes import HashEmbedder
def made(text, owner='ann'):
    return Memory.make(owner=owner, kind='question', text=text)
"""


@pytest.fixture(scope="module")
def in_another_process() -> Iterator[Callable[[Path, str], None]]:
    """Runs code in a process of its own, whose memory is perturbed."""
    with forking(IMPORTS, MALLOC_PERTURB_=PERTURBED) as forked:

        def run(folder: Path, code: str) -> None:
            ended = forked(f"kept = Memories(Path({str(folder)!r}), HashEmbedder())\n{code}")
            assert ended.status == 0, ended.output

        yield run


@pytest.mark.parametrize("number", [1, 1010])
def test_memory_of_the_process_does_not_get_into_the_files(
    folder: Path, number: int, in_another_process: Callable[[Path, str], None]
) -> None:
    add = f"kept.add('ann', [made(f'cough {{n}} of {{n * n}}') for n in range({number})])"
    for code in (
        add,
        "assert kept.nearest('ann', 'cough 0 of 0')",
        "kept.add('ann', [made('gout')])",
        "kept.add('bob', [made('a', 'bob')]); kept.delete('bob'); kept.add('ann', [made('flu')])",
        "kept.delete('ann', [kept.all('ann')[0].id]); assert kept.nearest('ann', 'flu')",
        "kept.edit('ann', kept.all('ann')[0].id, 'cramp'); assert kept.nearest('ann', 'cramp')",
    ):
        in_another_process(folder, code)
        assert rubbish(folder) == [], code


def test_what_is_in_the_files_already_goes_with_the_next_deletion(
    kept: Memories, folder: Path, make: Make
) -> None:
    [first, _] = kept.add("ann", [make("gout"), make("cough")])
    [file] = folder.rglob("data_level0.bin")
    file.write_bytes(file.read_bytes()[: -len(SECRET)] + SECRET.encode())
    kept.add("bob", [make("gout", "bob")])
    kept.delete("bob")
    assert traces(folder, SECRET) == []
    assert {near.memory.id for near in kept.nearest("ann", "gout")} >= {first.id}


def test_index_files_of_another_version_are_refused(
    kept: Memories, folder: Path, make: Make
) -> None:
    [first, _] = kept.add("ann", [make("gout"), make("cough")])
    kept.add("bob", [make("gout", "bob")])
    for header in folder.rglob("header.bin"):
        header.write_bytes(b"\2" + header.read_bytes()[1:])
    with pytest.raises(MemoryFolderError, match=r"header.bin is of another version .*\(2, not 1\)"):
        kept.delete("ann", [first.id])
    assert {memory.text for memory in kept.all("ann")} == {
        "gout",
        "cough",
    }  # nothing is half deleted
