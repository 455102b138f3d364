"""Open data files: folders, compression, encodings, and rows with their line numbers.

If a file cannot be read in the expected form, every function raises ``CorpusError``, which names
the file, the place and the remedy.
"""

import bz2
import csv
import gzip
import hashlib
import json
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from anamnesis.errors import CorpusError

_OPENERS: Mapping[str, tuple[bytes, Callable[[Path], Any]]] = {
    ".gz": (b"\x1f\x8b", gzip.open),
    ".bz2": (b"BZh", bz2.open),
    ".xz": (b"\xfd7zXZ\x00", lzma.open),
}
_LONGEST_CELL = 2**24  # characters; csv's own limit is too small for long answers


class Row(NamedTuple):
    """One raw record of a file: its place ("line 12"), and its values or the problem with it."""

    where: str
    values: Any
    problem: str = ""


def sha256(path: Path) -> str:
    """The SHA-256 of a file in hexadecimal; blank if it is unreadable, which its reader reports."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def find(path: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """The files to read: the file itself, or a folder's files with these suffixes, by name.

    Compressed files count by the suffix before ".gz", ".bz2" or ".xz". Hidden files and folders
    are left out.
    """
    if path.is_file():
        return [path]
    if not path.exists():
        raise CorpusError(f"{path}: no such file or folder. Check the path.")
    found = sorted(
        file
        for file in path.rglob("*")
        if file.is_file()
        and plain_suffix(file) in suffixes
        and not any(part.startswith(".") for part in file.relative_to(path).parts)
    )
    if not found:
        raise CorpusError(
            f"{path}: the folder has no file ending in {' or '.join(suffixes)}. "
            "Check the path and the format."
        )
    return found


def plain_suffix(file: Path) -> str:
    """The suffix in lower case, without that of a compression."""
    name = Path(file.stem) if file.suffix.lower() in _OPENERS else file
    return name.suffix.lower()


def plain_stem(file: Path) -> str:
    """The file's name without its suffix and that of a compression."""
    return Path(file.stem).stem if file.suffix.lower() in _OPENERS else file.stem


@contextmanager
def open_decompressed(file: Path) -> Iterator[BinaryIO]:
    """The file's bytes, decompressed; for reading inside a ``with``.

    The compression is recognised by the first bytes, so that a wrong suffix does no harm.
    """
    try:
        with file.open("rb") as raw:
            head = raw.read(6)
        for suffix, (magic, opener) in _OPENERS.items():
            if head.startswith(magic):
                with opener(file) as stream:
                    yield cast(BinaryIO, stream)
                return
            if file.suffix.lower() == suffix and head:
                raise CorpusError(
                    f"{file}: it ends in {suffix} but is not compressed in this way. Rename or "
                    f"compress it."
                )
        with file.open("rb") as stream:
            yield stream
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise CorpusError(
            f"{file}: the compressed file is truncated or damaged ({error}). Copy it again."
        ) from error
    except OSError as error:
        raise CorpusError(f"{file}: it cannot be read ({error}). Check the file.") from error


def read_bytes(file: Path) -> bytes:
    """The whole file, decompressed."""
    with open_decompressed(file) as stream:
        return stream.read()


def read_text(file: Path) -> str:
    """The whole file as text: UTF-8 with or without a byte order mark, decompressed."""
    with open_decompressed(file) as stream:
        try:
            return stream.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise _not_utf8(file, f"byte {error.start}") from error


def _not_utf8(file: Path, where: str) -> CorpusError:
    return CorpusError(f"{file}, {where}: the text is not UTF-8. Convert the file to UTF-8.")


def lines(file: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text file with their numbers from 1, read one by one."""
    with open_decompressed(file) as stream:
        number = 0
        for number, raw in enumerate(stream, start=1):
            try:
                yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise _not_utf8(file, f"line {number}") from error
        if not number:
            raise CorpusError(f"{file}: the file is empty. Check the path.")


def json_rows(file: Path) -> Iterator[Row]:
    """The values of a JSON Lines file, read one by one, or those of a JSON file.

    In a JSON file each item of a list is a row; any other value is one row. A JSON file is
    recognised by its first line, which is not a complete object, and is read as a whole.
    """
    first = next((text for _, text in lines(file) if text.strip()), "")
    if isinstance(_value(first), dict):
        yield from _json_lines(file)
        return
    try:
        whole = json.loads(read_text(file))
    except ValueError as error:
        # If the first line may be a damaged object, the second one decides.
        texts = (text for _, text in lines(file) if text.strip())
        if isinstance(_value(next(islice(texts, 1, None), "")), dict):
            yield from _json_lines(file)
            return
        raise CorpusError(
            f"{file}: it is neither JSON nor JSON Lines ({error}). Check the path and the format."
        ) from error
    if isinstance(whole, list):
        yield from (Row(f"record {n}", item) for n, item in enumerate(whole, start=1))
    else:
        yield Row("record 1", whole)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _json_lines(file: Path) -> Iterator[Row]:
    for number, text in lines(file):
        if text.strip():
            try:
                yield Row(f"line {number}", json.loads(text))
            except ValueError as error:
                yield Row(f"line {number}", None, f"not JSON: {error}")


def csv_rows(file: Path) -> Iterator[Row]:
    """The rows of a CSV file (or TSV, by its suffix) as dicts by the names in its first line."""
    csv.field_size_limit(max(_LONGEST_CELL, csv.field_size_limit()))
    reader = csv.reader(
        (text for _, text in lines(file)),
        delimiter="\t" if plain_suffix(file) == ".tsv" else ",",
        strict=True,
    )
    start = 1
    try:
        names = [name.strip() for name in next(reader)]
        start = reader.line_num + 1
        for cells in reader:
            where, start = f"line {start}", reader.line_num + 1
            if not cells:
                continue
            if len(cells) == len(names):
                yield Row(where, dict(zip(names, cells, strict=True)))
            else:
                yield Row(where, None, f"{len(cells)} cells under {len(names)} column names")
    except csv.Error as error:
        raise CorpusError(
            f"{file}, line {reader.line_num}: it is not CSV ({error}). Check its quotes."
        ) from error
