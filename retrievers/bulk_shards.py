"""The embedded shards of a bulk run: one Parquet file each, which other programs can read.

A row is a passage: the ids of its record and of itself, the hash of the record's content, the hash
of the text that was embedded, and its vector. The file's metadata name the shard and the embedder.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from anamnesis.corpus.passage import Passage
from anamnesis.errors import IndexFolderError, SettingError
from anamnesis.language.text import well_formed
from retrievers.dense import Vectors
from retrievers.kept import KEY_BYTES
from retrievers.manifest import EmbedderId, sync
from retrievers.store import vector_key

SHARDS = "shards"
ENDING = ".parquet"
Keys = npt.NDArray[np.bytes_]

_FORM = "1"


class Shards:
    """The shards in a work folder. A file is complete or missing; workers write at the same time.

    Each embedder has its own folder.
    """

    def __init__(self, work: Path, made: EmbedderId) -> None:
        """Raises SettingError without pyarrow."""
        if find_spec("pyarrow") is None:
            raise SettingError(
                "Indexing with several workers stores vectors in Parquet files, which needs "
                "pyarrow: pip install 'anamnesis[bulk]'"
            )
        self._made = made
        name = blake2b(made.fingerprint.encode(), digest_size=KEY_BYTES).hexdigest()
        self._folder = work / SHARDS / name

    def has(self, name: str) -> bool:
        """Whether a shard is embedded."""
        return self._path(name).exists()

    def write(
        self, name: str, passages: Sequence[Passage], contents: Mapping[str, str], vectors: Vectors
    ) -> None:
        """Store the passages of a shard with their vectors (n, dimensions).

        ``contents`` has the hash of each record.
        """
        import pyarrow as pa
        from pyarrow import parquet

        columns = {
            "record": [well_formed(item.record_id) for item in passages],
            "content": [contents[item.record_id] for item in passages],
            "passage": [well_formed(item.id) for item in passages],
            "key": [vector_key(item) for item in passages],
            "vector": pa.FixedSizeListArray.from_arrays(
                pa.array(vectors.reshape(-1)), self._made.dimensions
            ),
        }
        self._folder.mkdir(parents=True, exist_ok=True)
        new = self._folder / f"{name}.{uuid4().hex}.new"
        parquet.write_table(
            pa.table(columns, self._form(name)), new, compression="zstd",
            # Vectors have no repeated numbers; a dictionary of them takes seconds.
            use_dictionary=["record", "content"], write_page_checksum=True,
        )  # fmt: skip
        sync(new)
        new.replace(self._path(name))

    def count(self) -> int:
        """The number of files."""
        return len(self._files())

    def contents(self) -> set[str]:
        """The contents (hashes) of all records in the files, each of which is read completely.

        Raises IndexFolderError if a file cannot be read.
        """
        found = set[str]()
        for path in self._files():
            column = self._read(path, lambda file: file.read())["content"]
            found.update(column.unique().to_pylist())
        return found

    def read(self) -> Iterator[tuple[Keys, Vectors]]:
        """The keys and the vectors (n, dimensions) of each file.

        Raises IndexFolderError if a file cannot be read.
        """
        for path in self._files():
            table = self._read(path, lambda file: file.read(["key", "vector"]))
            keys = np.array(table["key"].to_pylist(), f"S{KEY_BYTES}")
            vectors = table["vector"].combine_chunks().flatten().to_numpy()
            yield keys, vectors.reshape(len(keys), self._made.dimensions)

    def rows(self) -> int:
        """The number of passages in all files."""
        count: Callable[[Any], int] = lambda file: file.metadata.num_rows  # noqa: E731
        return sum(self._read(path, count) for path in self._files())

    def _read(self, path: Path, what: Callable[[Any], Any]) -> Any:
        import pyarrow as pa
        from pyarrow import parquet

        again = "run the same command again: only the records of this file are embedded again"
        try:
            with parquet.ParquetFile(path, page_checksum_verification=True) as file:
                if file.schema_arrow.equals(self._form(path.stem), check_metadata=True):
                    return what(file)
        except (OSError, pa.ArrowException) as error:
            raise IndexFolderError(
                f"{path} is damaged: {error}. Delete this file and {again}"
            ) from error
        raise IndexFolderError(
            f"{path} was not written by this run: its columns or its metadata are others. Move it "
            f"to another folder and {again}"
        )

    def _form(self, name: str) -> Any:
        """The columns of the file of a shard, and its metadata."""
        import pyarrow as pa

        columns = {
            "record": pa.string(),
            "content": pa.string(),
            "passage": pa.string(),
            "key": pa.binary(KEY_BYTES),
            # The name of a list's elements in a Parquet file.
            "vector": pa.list_(pa.field("element", pa.float32()), self._made.dimensions),
        }
        said = {
            "anamnesis.form": _FORM,
            "anamnesis.shard": name,
            "anamnesis.embedder": self._made.fingerprint,
        }
        return pa.schema(list(columns.items()), said)

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob(f"*{ENDING}"))

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}{ENDING}"
