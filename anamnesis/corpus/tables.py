"""A user's own questions and answers, in CSV or JSON Lines with any column names [H8]."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from anamnesis.corpus import building, files
from anamnesis.corpus.building import Malformed
from anamnesis.corpus.passage import ALIASES, ASKED_AS
from anamnesis.corpus.record import Record
from anamnesis.corpus.report import Report
from anamnesis.corpus.weight import TYPE, TYPES
from anamnesis.errors import SettingError
from anamnesis.language.text import tidy

Columns = Mapping[str, str]

LABELS = ("date", TYPE)
"""The fields by which a source is weighed (``anamnesis.corpus.weight``); stored in the metadata."""
LISTS = (ALIASES, ASKED_AS)
"""The fields that are lists of texts; stored in the metadata."""
# Those that a row may have, which is no record yet, in the order in which people think of them.
FIELDS = ("id", "question", "answer", "title", "source", "url", "focus", *LISTS, *LABELS)
_ALSO = {"answer": ("text",), "focus": ("focus_area",)}
_SEPARATED = re.compile("[;|]")


def check_columns(columns: Columns | None) -> None:
    """Refuse a column mapping that names unknown fields.

    Raises:
        SettingError: A key is not in ``FIELDS``.
    """
    for name in columns or {}:
        if name not in FIELDS:
            raise SettingError(
                f"Column mapping: {name!r} is not a field of a record. Map {', '.join(FIELDS)}."
            )


def read_csv(file: Path, report: Report, columns: Columns | None = None) -> Iterator[Record]:
    """CSV (or .tsv) with a line of column names; see ``read_rows``."""
    return read_rows(file, files.csv_rows(file), report, columns)


def read_jsonl(file: Path, report: Report, columns: Columns | None = None) -> Iterator[Record]:
    """JSON Lines, or a JSON list of objects; see ``read_rows``."""
    return read_rows(file, files.json_rows(file), report, columns)


def read_rows(
    file: Path, rows: Iterable[files.Row], report: Report, columns: Columns | None
) -> Iterator[Record]:
    """The records of rows that have an answer, and a question or a title.

    Args:
        file: The file that the rows are from.
        rows: The rows.
        report: Lists what is skipped.
        columns: The column of each field whose column has another name: ``{"answer": "Reply"}``.
            Otherwise the column has the field's name, in upper or lower case. Other columns become
            metadata. Aliases (other names of the focus) and ``asked_as`` (questions that the record
            answers) are a list, or a text separated by ";" or "|". A record without an id gets one
            made from its content.
    """
    return building.build(file, rows, partial(_record, dict(columns or {})), report)


def _record(columns: Columns, values: Mapping[str, Any]) -> Record:
    names = {field: _column(field, values, columns) for field in FIELDS}
    answer, question = names["answer"], names["question"]
    found = f"columns found: {', '.join(values) or 'none'}"
    if answer is None:
        raise Malformed("no column 'answer'", found)
    if question is None and names["title"] is None:
        raise Malformed("no column 'question' or 'title'", found)
    texts = {
        f: building.text(values, name)
        for f, name in names.items()
        if name and f not in (*LISTS, *LABELS)
    }
    text = tidy(building.answer(values, answer))
    asked = building.tidy_question(texts.get("question", ""))
    title = " ".join(texts.get("title", "").split())
    if not (asked or title):
        raise building.Skip("empty question and title")
    focus = " ".join(texts.get("focus", "").split())
    rest = [name for name in values if name and name not in names.values()]
    parts = (asked, title, text, texts.get("source", ""), texts.get("url", ""), focus)
    return Record(
        id=texts.get("id") or building.content_id("qa", *parts),
        title=title or focus or asked,
        text=text,
        question=asked,
        source=texts.get("source", ""),
        url=texts.get("url", ""),
        focus=focus,
        metadata={
            **building.non_empty_fields(values, *rest),
            **_lists(values, names),
            **_labels(values, names),
        },
    )


def _labels(values: Mapping[str, Any], names: Mapping[str, str | None]) -> dict[str, Any]:
    """Date and type of the source, by their names in the metadata."""
    found = {
        field: values[name]
        for field in LABELS
        if (name := names[field]) and values[name] not in (None, "", [], {})
    }
    if TYPE in found and found[TYPE] not in TYPES:
        raise building.Skip(
            f"unknown {TYPE}", f"found {found[TYPE]!r}; use one of {', '.join(TYPES)}"
        )
    return found


def _lists(values: Mapping[str, Any], names: Mapping[str, str | None]) -> dict[str, list[str]]:
    """Other names of the focus, and other forms of the question, by their names in the metadata."""
    found = {field: _listed(values, names[field]) for field in LISTS}
    return {field: items for field, items in found.items() if items}


def _listed(values: Mapping[str, Any], column: str | None) -> list[str]:
    """The texts of a list, or of a text separated by ';' or '|', without repetitions."""
    said = values[column] if column else None
    given = said if isinstance(said, list | tuple) else _SEPARATED.split(str(said or ""))
    names = [" ".join(item.split()) for item in given if isinstance(item, str)]
    return list(dict.fromkeys(item for item in names if item))


def _column(field: str, values: Mapping[str, Any], columns: Columns) -> str | None:
    """The name of the column that has a field; None if there is none."""
    if field in columns:
        if columns[field] not in values:
            raise Malformed(
                f"no column {columns[field]!r} for {field!r}",
                f"columns found: {', '.join(values) or 'none'}",
            )
        return columns[field]
    wanted = (field, *_ALSO.get(field, ()))
    folded = {name.casefold(): name for name in reversed(list(values)) if name}
    taken = set(columns.values())
    return next((folded[w] for w in wanted if w in folded and folded[w] not in taken), None)
