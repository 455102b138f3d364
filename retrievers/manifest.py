"""The manifest of an index folder: its sources, the models that made it, and its files.

``manifest.json`` names the present generation, a subfolder. It is replaced in one step when a new
generation is complete, so that a reader sees the old index or the new one.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self

from pydantic import TypeAdapter, ValidationError

from anamnesis.errors import IndexFolderError
from anamnesis.models.embedding import DEFAULT_EMBEDDER, Embedder, load_embedder
from anamnesis.models.langchain_embeddings import SCHEME

# Increase it whenever the files, the splitting into passages or the tokenizer change.
SCHEMA = 1

MANIFEST = "manifest.json"
GENERATIONS = "generations"


@dataclass(frozen=True, slots=True)
class EmbedderId:
    """The model that made the vectors. Equal fingerprints mean equal vectors."""

    reference: str
    fingerprint: str
    dimensions: int
    window: int

    @classmethod
    def of(cls, embedder: Embedder) -> Self:
        """The identity of a loaded embedder."""
        return cls(embedder.reference, embedder.fingerprint, embedder.dimensions, embedder.window)


@dataclass(frozen=True, slots=True)
class Collection:
    """The size of a data set in the index, and whether it has facts."""

    records: int
    passages: int
    facts: bool = False


@dataclass(frozen=True, slots=True)
class File:
    """The expected size and hash of a file of the generation."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of ``manifest.json``.

    ``corpus`` is a hash over the records of all collections, ``created`` a UTC time in ISO
    form, ``program`` the version that wrote the index.
    """

    schema: int
    program: str
    created: str
    generation: str
    corpus: str
    records: int
    passages: int
    tokenizer: str
    embedder: EmbedderId
    collections: Mapping[str, Collection]
    files: Mapping[str, File]

    @property
    def facts(self) -> int:
        """The number of passages that are facts: the last rows of the index."""
        return sum(item.passages for item in self.collections.values() if item.facts)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an index folder.

    Raises IndexFolderError if there is no index, it is damaged, or has another schema version.
    """
    try:
        data = json.loads((folder / MANIFEST).read_text("utf-8"))
        schema = data["schema"]
    except FileNotFoundError:
        raise IndexFolderError(
            f"There is no index in {folder}. Make one: {remedy(folder)}, or of the shipped starter "
            f"corpus: `anamnesis index starter --index {folder}`"
        ) from None
    except OSError as error:
        raise IndexFolderError(
            f"The index in {folder} cannot be read: {error}. Make sure that this account may read "
            f"its files, or build it again: {remedy(folder, rebuild=True)}"
        ) from error
    except (ValueError, KeyError, TypeError):
        raise damaged(folder, f"its {MANIFEST} is not a manifest") from None
    if schema != SCHEMA:
        age = "an older" if isinstance(schema, int) and schema < SCHEMA else "another"
        raise IndexFolderError(
            f"The index in {folder} has schema version {schema}, this program reads {SCHEMA}: it "
            f"was made by {age} version. Build it again: {remedy(folder, rebuild=True)}"
        )
    try:
        return manifest_of(data)
    except (KeyError, TypeError, AttributeError, ValidationError):
        raise damaged(folder, f"its {MANIFEST} lacks entries or has unknown ones") from None


def manifest_of(data: Any) -> Manifest:
    """The manifest from its JSON.

    Raises KeyError, TypeError, AttributeError or ValidationError if it is not a manifest.
    """
    whole = Manifest(
        **data
        | {
            "embedder": EmbedderId(**data["embedder"]),
            "collections": {n: Collection(**c) for n, c in data["collections"].items()},
            "files": {n: File(**f) for n, f in data["files"].items()},
        }
    )
    return TypeAdapter(Manifest).validate_python(asdict(whole))


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write a manifest into ``folder`` in one step: after a crash it has the old or the new one."""
    new = folder / f"{MANIFEST}.new"
    new.write_text(json.dumps(asdict(manifest), indent=2, ensure_ascii=False) + "\n", "utf-8")
    sync(new)
    new.replace(folder / MANIFEST)
    sync(folder)


def flushed_files(draft: Path) -> dict[str, File]:
    """The files of a complete generation in the folder ``draft``, which are flushed to disk."""
    files = {}
    for path in sorted(draft.iterdir()):
        sync(path)
        files[path.name] = describe(path)
    sync(draft)
    return files


def new_manifest(
    generation: str,
    made: EmbedderId,
    corpus: str,
    collections: Mapping[str, Collection],
    tokenizer: str,
    files: Mapping[str, File],
) -> Manifest:
    """The manifest of a generation that this program has just completed."""
    return Manifest(
        schema=SCHEMA,
        program=program(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        generation=generation,
        corpus=corpus,
        records=sum(item.records for item in collections.values()),
        passages=sum(item.passages for item in collections.values()),
        tokenizer=tokenizer,
        embedder=made,
        collections=collections,
        files=files,
    )


def program() -> str:
    """The version of this program."""
    try:
        return version("anamnesis")
    except PackageNotFoundError:  # run from its folder, without an install
        return "unknown"


def generation_folder(folder: Path, manifest: Manifest) -> Path:
    """Where the files of the manifest's generation are."""
    return folder / GENERATIONS / manifest.generation


def current_generation(folder: Path) -> str | None:
    """The name of the present generation, whatever its schema; None if the folder has no index."""
    try:
        return str(json.loads((folder / MANIFEST).read_text("utf-8"))["generation"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


_verified: dict[Path, tuple[int, int, int]] = {}
"""The inode, time and size of the files whose content this process has verified."""


def check_files(folder: Path, manifest: Manifest, checksums: bool = False) -> None:
    """Raise IndexFolderError unless all files exist with the right sizes.

    ``checksums`` also compares their SHA-256: a process reads each file once, and again when it has
    changed.
    """
    for name, expected in manifest.files.items():
        path = generation_folder(folder, manifest) / name
        try:
            found = path.stat()
        except OSError:
            raise damaged(folder, f"{path.relative_to(folder)} is missing") from None
        if found.st_size != expected.bytes:
            what = f"has {found.st_size:,} bytes, not {expected.bytes:,}"
            raise damaged(folder, f"{path.relative_to(folder)} {what}")
        state = (found.st_ino, found.st_mtime_ns, found.st_size)
        if checksums and _verified.get(path.absolute()) != state:
            if describe(path).sha256 != expected.sha256:
                raise damaged(folder, f"the content of {path.relative_to(folder)} has changed")
            _verified[path.absolute()] = state


def describe(path: Path) -> File:
    """The size and SHA-256 of a file."""
    with path.open("rb") as file:
        return File(path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())


def sync(path: Path) -> None:
    """Flush a file or folder to disk, if the system supports it."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return  # a folder, on Windows
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remedy(folder: Path | str, rebuild: bool = False) -> str:
    """The command that makes or repairs the index in ``folder``."""
    return f"`anamnesis index FORMAT PATH --index {folder}{' --rebuild' if rebuild else ''}`"


def damaged(folder: Path, what: str) -> IndexFolderError:
    """The error for a damaged index."""
    return IndexFolderError(
        f"The index in {folder} is damaged: {what}. Build it again: {remedy(folder, rebuild=True)}"
    )


def own_embedder(manifest: Manifest | None) -> Embedder:
    """The embedder that a manifest names; the default one if there is no index yet."""
    return load_embedder(manifest.embedder.reference if manifest else DEFAULT_EMBEDDER)


def fitting_embedder(manifest: Manifest, given: Embedder | None, where: Path | str) -> Embedder:
    """The ``given`` embedder, or else the one that the manifest of an index names, loaded.

    Raises IndexFolderError if the vectors of the index were made by another one.
    """
    embedder, made = given or load_embedder(manifest.embedder.reference), manifest.embedder
    if embedder.fingerprint != made.fingerprint:
        raise made_otherwise(where, made, embedder.reference, embedder.fingerprint)
    return embedder


def made_otherwise(
    folder: Path | str, made: EmbedderId, reference: str, fingerprint: str
) -> IndexFolderError:
    """The error for an index whose vectors were made by another embedder."""
    again = remedy(folder, rebuild=True)
    if reference.startswith(f"{SCHEME}:"):  # no command can load it
        again = "writer_at(…).put(records, NAME, rebuild=True) of retrievers.opening"
    return IndexFolderError(
        f"The index in {folder} was made with embedder {made.reference} (fingerprint "
        f"{made.fingerprint[:12]}), not with {reference} (fingerprint {fingerprint[:12]}). Use "
        f"the first, or build the index again with the second: {again}"
    )
