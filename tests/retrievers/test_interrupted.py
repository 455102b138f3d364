"""What is left of an index when the run that writes it does not come to its end."""

import resource
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anamnesis.corpus.record import Record
from anamnesis.errors import CorpusError, IndexFolderError
from retrievers.build import Changes
from retrievers.index import Index
from retrievers.manifest import check_files, read_manifest
from tests.fakes import HashEmbedder
from tests.forked import forking
from tests.retrievers.conftest import QUERIES, Put, answers, record, records

HELD = 40  # records of the index that is there before
MORE = 1100  # records of the run that is interrupted: three calls of the embedder

IMPORTS = """
import os, signal
from pathlib import Path
from retrievers import build, manifest, vectors, writing
from tests.fakes import HashEmbedder
from tests.retrievers.conftest import records
"""
KILLED = f"""
def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)

class Embedder(HashEmbedder):
    def embed_documents(self, texts, progress=None):
        if where == "embedding" and len(self.calls) >= 512:
            die()
        return super().embed_documents(texts, progress)

if where == "before the swap":
    Path.replace = lambda self, to: die() if to.name == "manifest.json" else os.replace(self, to)
elif where == "after the swap":
    write = build.write_manifest
    build.write_manifest = lambda *args: (write(*args), die())
elif where == "writing":
    build.write_sparse = die
elif where == "cleaning":
    writing.shutil.rmtree = die
build.build(records({MORE}), folder, Embedder(), "one")
"""


Killed = Callable[[Path, str], None]


@pytest.fixture(scope="module")
def killed() -> Iterator[Killed]:
    """Builds into a folder in a process that is killed at the place that is named."""
    with forking(IMPORTS) as forked:

        def run(folder: Path, where: str) -> None:
            ended = forked(f"folder, where = Path({str(folder)!r}), {where!r}\n{KILLED}")
            assert ended.status == -signal.SIGKILL, ended.output

        yield run


@pytest.mark.parametrize(
    ("where", "still_to_embed"),
    [("embedding", MORE - HELD - 512), ("writing", 0), ("before the swap", 0)],
)
def test_a_killed_run_leaves_the_old_index_and_is_resumed(
    put: Put,
    opened: Callable[[], Index],
    folder: Path,
    where: str,
    still_to_embed: int,
    killed: Killed,
) -> None:
    put(records(HELD))
    before, expected = read_manifest(folder), answers(opened(), QUERIES)
    killed(folder, where)
    assert read_manifest(folder) == before
    check_files(folder, before, checksums=True)
    assert answers(opened(), QUERIES) == expected

    embedder = HashEmbedder()
    changes = put(records(MORE), embedder=embedder)
    assert changes == Changes(added=MORE - HELD, unchanged=HELD, embedded=still_to_embed)
    assert len(embedder.calls) == still_to_embed
    assert len(opened()) == MORE
    assert {path.name for path in folder.iterdir()} == {"manifest.json", "generations", "lock"}
    assert len(list((folder / "generations").iterdir())) == 1


@pytest.mark.parametrize("where", ["after the swap", "cleaning"])
def test_a_run_killed_after_the_swap_leaves_the_new_index(
    put: Put, opened: Callable[[], Index], folder: Path, where: str, killed: Killed
) -> None:
    put(records(HELD))
    killed(folder, where)
    check_files(folder, read_manifest(folder), checksums=True)
    assert len(opened()) == MORE
    assert put(records(MORE)) == Changes(unchanged=MORE)
    assert len(list((folder / "generations").iterdir())) == 1


def test_the_first_run_of_an_index_is_resumed_too(put: Put, folder: Path, killed: Killed) -> None:
    killed(folder, "embedding")
    with pytest.raises(IndexFolderError, match="There is no index"):
        Index.open(folder)
    assert put(records(MORE)).embedded == MORE - 512


def test_what_another_embedder_made_is_not_taken_over(
    put: Put, folder: Path, killed: Killed
) -> None:
    killed(folder, "embedding")
    assert put(records(MORE), embedder=HashEmbedder("hash-2")).embedded == MORE


def test_a_damaged_file_of_kept_vectors_is_made_again(
    put: Put, folder: Path, killed: Killed
) -> None:
    killed(folder, "embedding")
    first = min(folder.glob("resume/*/*.npy"))
    first.write_bytes(first.read_bytes()[:1000])
    assert put(records(MORE)).embedded == MORE


@pytest.mark.parametrize("limit", [100, 5_000, 40_000, 100_000, 250_000])
def test_a_full_disk_leaves_the_old_index_whole(
    put: Put, opened: Callable[[], Index], folder: Path, limit: int
) -> None:
    put(records(HELD))
    before, expected = read_manifest(folder), answers(opened(), QUERIES)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        with pytest.raises(IndexFolderError, match="The index has not changed"):
            put(records(MORE))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)
    assert read_manifest(folder) == before
    check_files(folder, before, checksums=True)
    assert answers(opened(), QUERIES) == expected
    assert len(list((folder / "generations").iterdir())) == 1
    assert put(records(MORE)).added == MORE - HELD


@pytest.mark.parametrize(
    "step",
    [
        "retrievers.build.write_vectors",
        "retrievers.build.write_sparse",
        "retrievers.build.write_manifest",
        "retrievers.manifest.describe",
        "retrievers.kept.ResumableVectors.add",
    ],
)
def test_whatever_step_fails_the_old_index_stays(
    put: Put, folder: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(records(HELD))
    before = read_manifest(folder)

    def fail(*args: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(step, fail)
        with pytest.raises(IndexFolderError, match="No space left on device"):
            put(records(MORE))
    check_files(folder, before, checksums=True)
    assert read_manifest(folder) == before
    assert len(list((folder / "generations").iterdir())) == 1


@pytest.mark.parametrize("error", [CorpusError("bad file"), KeyboardInterrupt()])
def test_records_that_end_in_an_error_change_nothing(
    put: Put, folder: Path, error: BaseException
) -> None:
    put(records(HELD))
    before = read_manifest(folder)

    def broken() -> Iterator[Record]:
        yield from records(600)
        raise error

    with pytest.raises(type(error)):
        put(broken())
    check_files(folder, before, checksums=True)
    assert len(list((folder / "generations").iterdir())) == 1


def test_an_interrupt_right_after_the_swap_keeps_the_new_index(
    put: Put, folder: Path, opened: Callable[[], Index], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(records(HELD))
    with monkeypatch.context() as patched:

        def interrupt(path: Path) -> None:
            if path == folder:
                raise KeyboardInterrupt

        patched.setattr("retrievers.manifest.sync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            put([record(1)])
    assert len(opened()) == 1
