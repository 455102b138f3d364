"""Storage of the collections that wait for approval: in the index folder, or on its server."""

from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from anamnesis.address import Location
from anamnesis.errors import CorpusError, SettingError
from retrievers.manifest import sync
from retrievers.opening import engine_at
from retrievers.writing import REVIEW, only_writer


class Store(Protocol):
    """The texts of waiting collections by name, each with its location for error messages."""

    def all(self) -> list[tuple[str, str]]:
        """The texts of all waiting collections, by name."""

    def read(self, collection: str) -> tuple[str, str] | None:
        """The text of a waiting collection; None if there is none with that name."""

    def write(self, collection: str, text: str) -> None:
        """Store a waiting collection, in place of one with the same name."""

    def delete(self, collection: str) -> None:
        """Remove a waiting collection."""


def store_at(where: Location) -> Store:
    """The store of the waiting collections of the index at a folder or an address.

    Raises SettingError for an engine without waiting collections.
    """
    if isinstance(where, Path):
        return FolderStore(where)
    waiting = getattr(engine_at(where), "waiting", None)
    if waiting is None:
        raise SettingError(
            f"{where} has no records that wait for approval; index them without --review, or "
            f"review a folder"
        )
    store: Store = waiting()
    return store


def unreadable(place: str, error: Exception) -> CorpusError:
    """The error for a text that is not a stored collection."""
    return CorpusError(
        f"{place} is damaged or cannot be read ({error}). Index its collection again with --review."
    )


class FolderStore:
    """``review/NAME.jsonl`` in an index folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def all(self) -> list[tuple[str, str]]:
        """The texts of all waiting collections, by name."""
        return [_text(path) for path in sorted((self._folder / REVIEW).glob("*.jsonl"))]

    def read(self, collection: str) -> tuple[str, str] | None:
        """The text of a waiting collection; None if there is none with that name."""
        path = self._path(collection)
        return _text(path) if path.exists() else None

    def write(self, collection: str, text: str) -> None:
        """Store a waiting collection, in place of one with the same name."""
        with only_writer(self._folder):
            path = self._path(collection)
            path.parent.mkdir(exist_ok=True)
            new = path.with_suffix(".new")
            new.write_text(text, "utf-8")
            sync(new)
            new.replace(path)

    def delete(self, collection: str) -> None:
        """Remove a waiting collection."""
        with only_writer(self._folder):
            self._path(collection).unlink()

    def _path(self, collection: str) -> Path:
        return self._folder / REVIEW / f"{quote(collection, safe='')}.jsonl"


def _text(path: Path) -> tuple[str, str]:
    place = f"{path.name} in the folder {REVIEW} of the index"
    try:
        return place, path.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise unreadable(place, error) from error
