"""Index many records with several workers, on any engine [H8].

Records are divided into shards by their ids. Workers embed the shards; each shard becomes a Parquet
file, which names the records that it contains, so that an interrupted run can continue.
Then the engine's writer makes the next generation with the vectors of those files; the result is
the same index as without workers. This generation is compared with the current one on a sample, and
is published if its results are as good.
"""

import math
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout

from anamnesis.address import Address, Location
from anamnesis.corpus.record import Record
from anamnesis.errors import IndexFolderError, SettingError
from anamnesis.models.embedding import Embedder
from retrievers.build import Changes, Progress, check_collection, content_of
from retrievers.bulk_accepting import QualityComparison, Sample, compare
from retrievers.bulk_shards import Shards
from retrievers.bulk_spool import Shard, Spool
from retrievers.bulk_vectors import ReadyVectors, ShardEmbedder
from retrievers.bulk_workers import ENGINES
from retrievers.corpus import Corpus
from retrievers.manifest import EmbedderId, made_otherwise
from retrievers.opening import manifest_at, open_corpus, writer_at

MAX_LOSS = 0.05
"""Accepted loss of nDCG@10 on the sample in the new generation."""


class Bulk(NamedTuple):
    """The result of a run: changes, shards that were embedded, shards that an earlier run had
    embedded, and the sample.

    ``found`` is None if nothing changed.
    """

    changes: Changes
    embedded: int
    kept: int
    found: QualityComparison | None


def put_in_bulk(
    records: Iterable[Record],
    where: Location,
    collection: str,
    load: Callable[[], Embedder],
    work: Path,
    engine: str = "processes",
    workers: int = 2,
    progress: Progress | None = None,
    *,
    rebuild: bool = False,
    max_loss: float = MAX_LOSS,
) -> Bulk:
    """Make the index at ``where`` contain exactly ``records`` as its ``collection``.

    Args:
        records: Read once, and kept in ``work`` until the end.
        where: A folder or an address.
        collection: Its name.
        load: Returns the embedder, in this process and in the workers.
        work: A folder that all workers can reach. The run uses ``run_folder`` in it, which is
            removed at the end; if the run fails, it stays, and the same call continues from it.
            Nothing else in ``work`` is read or changed.
        engine: ``processes`` of this machine, or ``ray``.
        workers: The maximum number of workers.
        progress: See ``retrievers.build.Progress``; while embedding, it counts records.
        rebuild: Remove all other collections.
        max_loss: See ``MAX_LOSS``.

    Raises:
        SettingError: An argument is wrong, or another run makes the same collection in ``work``.
        CorpusError, ModelError, IndexFolderError: As in ``retrievers.build.build``;
            IndexFolderError also if the new generation gives worse results. The index is then
            unchanged.
    """
    if engine not in ENGINES:
        raise SettingError(f"there is no engine {engine!r}; use one of {', '.join(ENGINES)}")
    if workers < 1:
        raise SettingError(f"{workers} workers cannot do anything; use at least 1")
    check_collection(collection)
    if math.isnan(max_loss):
        raise SettingError("max_loss must be a number, not nan: it would accept any loss")
    folder = run_folder(work, where, collection)
    lock = folder.with_name(f"{folder.name}.lock")
    try:
        work.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(lock, timeout=0):
            folder.mkdir(exist_ok=True, mode=0o700)
            done = _put(
                records, where, collection, load, folder, engine, workers,
                progress or (lambda stage, done, total: None), rebuild, max_loss,
            )  # fmt: skip
            shutil.rmtree(folder, ignore_errors=True)
    except Timeout as error:
        raise SettingError(
            f"another bulk run is using {folder}; wait until it has ended, or name another folder "
            "with --work"
        ) from error
    except OSError as error:
        raise IndexFolderError(
            f"The work in {folder} failed: {error}. The index has not changed. Remove the cause "
            "(such as a full disk) and run the same command again."
        ) from error
    with suppress(OSError):
        lock.unlink()
    return done


def run_folder(work: Path, where: Location, collection: str) -> Path:
    """The folder in ``work`` of the runs that make a collection; a repeated run uses the same."""
    whole = where.reveal() if isinstance(where, Address) else str(where.absolute())
    key = sha256(f"{whole}\0{collection}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return work / f"anamnesis-bulk-{key}"


def _put(
    records: Iterable[Record], where: Location, collection: str, load: Callable[[], Embedder],
    work: Path, engine: str, workers: int, progress: Progress, rebuild: bool, max_loss: float,
) -> Bulk:  # fmt: skip
    embedder = load()
    made = EmbedderId.of(embedder)
    ready = Shards(work, made)
    # Before the work: at the end an error would come after hours.
    embedded, kept = ready.contents(), ready.count()
    old = _present(where, embedder, rebuild)
    held = {} if old is None else writer_at(where, lambda: embedder).content_hashes()
    sample = Sample()
    spool = Spool(work)
    done = spool.write(_read(records, held, sample, progress), {} if rebuild else held, embedded)
    left = spool.shards()
    total = done + sum(shard.records for shard in left)
    if left:
        progress("embedding", done, total)
        make = partial(ShardEmbedder, work.absolute(), made, load)
        done_already: Callable[[Shard], bool] = lambda shard: ready.has(shard.name)  # noqa: E731
        for shard in ENGINES[engine](make, left, done_already, min(workers, len(left))):
            done += shard.records
            progress("embedding", done, total)
    found: QualityComparison | None = None

    def accept(new: Corpus) -> None:
        nonlocal found
        found = compare(old, new, sample, max_loss)

    changes = writer_at(where, lambda: ReadyVectors(embedder, ready, work)).put(
        spool.records(), collection, progress, rebuild=rebuild, accept=accept
    )
    return Bulk(changes, len(left), kept, found)


def _present(where: Location, embedder: Embedder, rebuild: bool) -> Corpus | None:
    """The present index, if there is one. Raises IndexFolderError if it cannot be updated."""
    manifest = manifest_at(where)
    if manifest is None:
        return None
    made = manifest.embedder
    if made.fingerprint == embedder.fingerprint:
        return open_corpus(where, embedder)
    if not rebuild:
        raise made_otherwise(str(where), made, embedder.reference, embedder.fingerprint)
    return open_corpus(where)


def _read(
    records: Iterable[Record], held: Mapping[str, str], sample: Sample, progress: Progress
) -> Iterator[Record]:
    for number, record in enumerate(records, start=1):
        # New records cannot be compared with the old generation.
        if not held or held.get(record.id) == content_of(record):
            sample.note(record)
        if number % 512 == 0:
            progress("reading", number, None)
        yield record
