"""Corpora in BEIR's format: ``corpus.jsonl`` with _id, title, text and metadata.

In addition, a document can have a ``question`` (or ``heading``) that its text answers.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from anamnesis.corpus import building, files
from anamnesis.corpus.building import Malformed
from anamnesis.corpus.record import Record
from anamnesis.corpus.report import Report
from anamnesis.language.text import tidy


def read(file: Path, report: Report) -> Iterator[Record]:
    """The documents; if the metadata have a url, it becomes the record's."""
    return building.build(file, files.json_rows(file), _record, report)


def _record(values: Mapping[str, Any]) -> Record:
    identity = building.text(values, "_id") or building.text(values, "id")
    if not identity:
        raise Malformed("no field '_id' or 'id'", f"fields found: {', '.join(values) or 'none'}")
    given = values.get("metadata")
    metadata = given if isinstance(given, dict) else {}
    question = building.text(values, "question") or building.text(values, "heading")
    question = building.tidy_question(question)
    return Record(
        id=identity,
        title=" ".join(building.text(values, "title").split()) or question,
        text=tidy(building.answer(values, "text")),
        question=question,
        url=building.text(metadata, "url") or building.text(values, "url"),
        kind="document",
        metadata=metadata,
    )
