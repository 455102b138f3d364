"""Make records from raw rows: the functions that all loaders of rows share."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

from anamnesis.corpus.files import Row
from anamnesis.corpus.report import Report
from anamnesis.errors import CorpusError
from anamnesis.language.text import tidy

_T = TypeVar("_T")

_PATIENCE = 1000  # malformed rows at the start of a file after which it is given up


class Skip(Exception):  # noqa: N818 - a skipped record is no error
    """Raised by a loader to leave one record out, with the reason."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


class Malformed(Skip):
    """The record does not have its format's form, like all records of a file in another format."""


def build(
    file: Path, rows: Iterable[Row], make: Callable[[Any], _T], report: Report, named: bool = True
) -> Iterator[_T]:
    """Make records, or other results of ``make``, from rows; bad rows are skipped and reported.

    ``named``: rows are objects with named fields.

    Raises:
        CorpusError: There is no row, or no row has the form that ``make`` expects.
    """
    seen = malformed = 0
    first: tuple[str, Skip] | None = None
    for row in rows:
        seen += 1
        try:
            if row.problem:
                raise Malformed("not readable", row.problem)
            record = make(fields(row.values) if named else row.values)
        except Skip as skip:
            report.skip(file, row.where, skip.reason, skip.detail)
            malformed += isinstance(skip, Malformed)
            first = first or (row.where, skip)
            if malformed == seen == _PATIENCE:
                break
        else:
            yield record
    if not seen:
        raise CorpusError(f"{file}: it contains no record. Check the path.")
    if first and malformed == seen:
        where, wrong = first
        raise CorpusError(
            f"{file}, {where}: {wrong.reason} ({wrong.detail}), and the same for each of its "
            f"{'first ' if seen == _PATIENCE else ''}{seen} records. "
            "Check the format, or name the columns."
        )


def fields(values: Any) -> Mapping[str, Any]:
    """The row as an object with named fields."""
    if not isinstance(values, dict):
        raise Malformed("not an object", f"found {type(values).__name__}")
    return values


def text(values: Mapping[str, Any], name: str, required: bool = False) -> str:
    """A field's text, not tidied; "" if the field is absent, null or blank.

    Raises:
        Malformed: The field is a list or an object, or is required and missing.
    """
    if required and name not in values:
        raise Malformed(f"no field {name!r}", f"fields found: {', '.join(values) or 'none'}")
    value = values.get(name)
    if value is None:
        return ""
    if isinstance(value, dict | list):
        raise Malformed(f"field {name!r} is not a text", f"found {type(value).__name__}")
    return str(value).strip()


def texts(values: Mapping[str, Any], name: str, required: bool = False) -> list[str]:
    """A field's list of texts, tidied; a single text counts as a list of one."""
    value = values.get(name)
    if not isinstance(value, list):
        return [tidy(single)] if (single := text(values, name, required)) else []
    return [tidied for item in value if isinstance(item, str) and (tidied := tidy(item))]


def answer(values: Mapping[str, Any], name: str) -> str:
    """A required field's text; a record with a blank one is skipped."""
    found = text(values, name, required=True)
    if not found:
        raise Skip(f"empty {name}")
    return found


def tidy_question(question: str) -> str:
    """A question on one line, with one question mark that follows its last word.

    MedQuAD writes "What is (are) Glaucoma ?" and "Who is at risk for Anemia? ?".
    """
    line = " ".join(tidy(question).split())
    bare = line.rstrip("? ")
    return f"{bare}?" if bare != line and line.endswith("?") else line


def content_id(prefix: str, *parts: str) -> str:
    """An id made from a record's content, for data without ids; the same each time it is read."""
    return f"{prefix}-{blake2b(chr(31).join(parts).encode(), digest_size=8).hexdigest()}"


def non_empty_fields(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The fields that are not empty, for a record's metadata."""
    return {name: values[name] for name in names if values.get(name) not in (None, "", [], {})}
