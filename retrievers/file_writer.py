"""The writer of an index folder."""

from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Protocol

from anamnesis.corpus.record import Record
from anamnesis.models.embedding import Embedder
from retrievers.build import Changes, Progress, build, remove
from retrievers.corpus import Accept, Corpus
from retrievers.manifest import MANIFEST, Manifest, generation_folder, read_manifest
from retrievers.provenance import Approval
from retrievers.store import contents_of


class _Opened(Corpus, Protocol):
    def close(self) -> None: ...


class FileWriter:
    """Writes the next generation of an index folder, which may not exist yet."""

    def __init__(
        self,
        folder: Path,
        embedder: Callable[[], Embedder],
        opened: Callable[[Path, Manifest, Embedder], _Opened],
    ) -> None:
        """``embedder`` returns the embedder of new passages; ``opened`` is the open index."""
        self._folder, self._embedder, self._opened = folder, embedder, opened

    def put(
        self,
        records: Iterable[Record],
        collection: str,
        progress: Progress | None = None,
        *,
        rebuild: bool = False,
        approval: Approval | None = None,
        accept: Accept | None = None,
    ) -> Changes:
        """Make the folder contain exactly ``records`` as the collection; see ``build``."""
        embedder = self._embedder()

        def see(manifest: Manifest) -> None:
            if accept is not None:
                with closing(self._opened(self._folder, manifest, embedder)) as draft:
                    accept(draft)

        return build(
            records, self._folder, embedder, collection, progress,
            rebuild=rebuild, approval=approval, accept=see,
        )  # fmt: skip

    def remove(self, collection: str) -> Changes:
        """Remove a collection; see ``remove``."""
        return remove(self._folder, collection)

    def content_hashes(self) -> dict[str, str]:
        """The content hash of each record in the folder; see ``Writer.content_hashes``."""
        if not (self._folder / MANIFEST).exists():
            return {}
        return contents_of(generation_folder(self._folder, read_manifest(self._folder)))
