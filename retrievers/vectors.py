"""The vectors of a new generation: copied from the old one if it has them, otherwise computed."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import numpy as np

from anamnesis.errors import ModelError
from anamnesis.models.embedding import Embedder
from retrievers.dense import VECTORS, Vectors, write_dense
from retrievers.kept import ResumableVectors
from retrievers.manifest import EmbedderId
from retrievers.store import PassageWriter

# Passages embedded in one call, the most that an interrupted run loses.
AT_ONCE = 512
_BLOCK = 4096  # rows written at once

Report = Callable[[Literal["embedding"], int, int | None], None]


def write_vectors(
    writer: PassageWriter,
    draft: Path,
    old: Path | None,
    kept: ResumableVectors,
    made: EmbedderId,
    embedder: Embedder | None,
    report: Report,
    facts: int,
) -> int:
    """Write the dense index of ``writer``'s passages into ``draft``; return the number of embedded
    ones.

    The last ``facts`` of the rows are facts.

    ``old`` is the folder of the generation whose vectors are copied. ``embedder`` may be None only
    if these are all that is needed.
    """
    sources: list[Vectors] = []
    place: dict[bytes, tuple[int, int]] = {}  # of each vector: its source and its row there
    if old is not None:
        sources.append(np.load(old / VECTORS, mmap_mode="r", allow_pickle=False))
        place = {key: (0, row) for row, key in writer.old_vector_keys()}

    def take_kept() -> None:
        for keys, vectors in kept.read():
            for row, key in enumerate(keys):
                place.setdefault(key, (len(sources), row))
            sources.append(vectors)

    take_kept()
    missing: dict[bytes, tuple[int, int]] = {}
    for row, key, size in writer.vector_keys():
        if key not in place:
            missing.setdefault(key, (size, row))
    if missing and embedder is not None:
        _embed(missing, writer, kept, made, embedder, report)
        take_kept()

    def blocks() -> Iterator[Vectors]:
        block: list[Vectors] = []
        for _, key, _ in writer.vector_keys():
            source, row = place[key]
            block.append(sources[source][row])
            if len(block) == _BLOCK:
                yield np.stack(block)
                block = []
        if block:
            yield np.stack(block)

    write_dense(blocks(), writer.rows, made.dimensions, draft, facts)
    return len(missing)


def _embed(
    missing: dict[bytes, tuple[int, int]],
    writer: PassageWriter,
    kept: ResumableVectors,
    made: EmbedderId,
    embedder: Embedder,
    report: Report,
) -> None:
    # Passages of similar length together, because a batch is padded to its longest; the longest
    # first, so that a lack of memory shows at once.
    ordered = sorted(missing.items(), key=lambda item: -item[1][0])
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        report("embedding", done, len(ordered))

    advance(0)
    for start in range(0, len(ordered), AT_ONCE):
        part = ordered[start : start + AT_ONCE]
        texts = [passage.embedded for passage in writer.passages([row for _, (_, row) in part])]
        vectors = checked(embedder.embed_documents(texts, advance), len(part), made)
        kept.add([key for key, _ in part], vectors)


def checked(vectors: Vectors, count: int, made: EmbedderId) -> Vectors:
    """The vectors of ``count`` passages. Raises ModelError if they cannot be."""
    if vectors.shape != (count, made.dimensions) or not np.isfinite(vectors).all():
        raise ModelError(
            f"Embedder {made.reference} gave an array of shape {vectors.shape}, or with "
            f"numbers that are not finite, for {count} passages. Expected: shape "
            f"{(count, made.dimensions)}. Try another embedder."
        )
    return vectors
