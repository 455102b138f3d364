"""Read data sets by the name of their format; no other module knows all formats [H8]."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from anamnesis.corpus import (
    beir,
    bioasq,
    documents,
    files,
    medmcqa,
    medquad,
    pubmedqa,
    starter,
    tables,
    triplets,
)
from anamnesis.corpus.record import Record
from anamnesis.corpus.report import Problem, Report
from anamnesis.corpus.tables import Columns
from anamnesis.corpus.weight import TYPE, TYPES, date_of
from anamnesis.errors import CorpusError, SettingError

__all__ = ["FORMATS", "Columns", "Loader", "MergingLoader", "Problem", "Report", "read"]


class Source(NamedTuple):
    """A file to read: its path, its name below the given path, and whether it was named itself."""

    path: Path
    name: str
    alone: bool


class Loader(NamedTuple):
    """How a format is read.

    Args:
        about: What the format is, for help texts and the docs.
        suffixes: Suffixes of the files that are read in a folder; empty for a format without files.
        records: Reads one file.
        maps_columns: Whether the caller can name its columns.
        is_document: Whether a file is one text to read, which ``anamnesis check`` reads too.
    """

    about: str
    suffixes: tuple[str, ...]
    records: Callable[[Source, Report, Columns | None], Iterator[Record]]
    maps_columns: bool = False
    is_document: bool = False


class MergingLoader(NamedTuple):
    """How a format is read whose records are merged over all files.

    Such records name their own sources, so they get no date and no type from the caller.

    Args:
        about: What the format is, for help texts and the docs.
        suffixes: Suffixes of the files that are read in a folder.
        records: Reads all files; the second argument is a file of aliases, or None.
    """

    about: str
    suffixes: tuple[str, ...]
    records: Callable[[Sequence[Path], Path | None, Report], Iterator[Record]]


def _row_loader(
    about: str, records: Callable[[Path, Report], Iterator[Record]], *suffixes: str
) -> Loader:
    return Loader(about, suffixes, lambda source, report, _: records(source.path, report))


def _table_loader(
    about: str, records: Callable[[Path, Report, Columns | None], Iterator[Record]], *suffixes: str
) -> Loader:
    return Loader(about, suffixes, lambda s, report, cols: records(s.path, report, cols), True)


def _document_loader(
    about: str, load: Callable[[Path], documents.Document], *suffixes: str
) -> Loader:
    return Loader(
        about, suffixes, lambda s, report, _: documents.read(load, *s, report), is_document=True
    )


_JSON = (".jsonl", ".json")

FORMATS: dict[str, Loader | MergingLoader] = {
    "starter": Loader(
        "the corpus that comes with Anamnesis", (), lambda *_: starter.read_starter()
    ),
    "medquad": _row_loader(
        "MedQuAD's XML files, or their folder, in all of its schemas", medquad.read_xml, ".xml"
    ),
    "medquad-jsonl": _row_loader(
        "MedQuAD as JSON Lines, with one question and answer per line", medquad.read_jsonl, *_JSON
    ),
    "medquad-csv": _row_loader(
        "MedQuAD as CSV, with the columns question, answer, source and focus_area",
        medquad.read_csv,
        ".csv",
    ),
    "medmcqa": _row_loader(
        "MedMCQA as JSON Lines, or MIRAGE's: question, options, right option and explanation",
        medmcqa.read,
        *_JSON,
    ),
    "bioasq": _row_loader("questions of BioASQ Task B with ideal answers", bioasq.read, *_JSON),
    "bioasq-passages": _row_loader(
        "snippets of PubMed's abstracts for BioASQ, with one id and text per line",
        bioasq.read_passages,
        *_JSON,
    ),
    "pubmedqa": _row_loader(
        "PubMedQA's questions with abstract and conclusion", pubmedqa.read, *_JSON
    ),
    "pubmedqa-abstracts": _row_loader(
        "PubMedQA's abstracts without the conclusions, for evaluation with its questions",
        pubmedqa.read_abstracts,
        *_JSON,
    ),
    "csv": _table_loader("your questions and answers in CSV", tables.read_csv, ".csv", ".tsv"),
    "jsonl": _table_loader("your questions and answers in JSON Lines", tables.read_jsonl, *_JSON),
    "beir": _row_loader("a corpus.jsonl in the form of BEIR", beir.read, *_JSON),
    "text": _document_loader("plain text files", documents.text, ".txt", ".text"),
    "markdown": _document_loader("Markdown files", documents.markdown, ".md", ".markdown"),
    "html": _document_loader("HTML files", documents.html, ".html", ".htm", ".xhtml"),
    "pdf": _document_loader("PDF files", documents.pdf, ".pdf"),
    "facts": MergingLoader(
        "triplets of a knowledge base, or ontologies", triplets.SUFFIXES, triplets.read_facts
    ),
}
"""The formats by name: one entry adds one, and the help of ``anamnesis index`` names it."""


def with_columns() -> list[str]:
    """The names of the formats whose columns the caller can name."""
    return [
        n for n, loader in FORMATS.items() if isinstance(loader, Loader) and loader.maps_columns
    ]


def of_documents() -> dict[str, Loader]:
    """The formats whose files are documents, by name."""
    loaders = {name: loader for name, loader in FORMATS.items() if isinstance(loader, Loader)}
    return {name: loader for name, loader in loaders.items() if loader.is_document}


def with_aliases() -> list[str]:
    """The names of the formats that take a file of aliases."""
    return [name for name, loader in FORMATS.items() if isinstance(loader, MergingLoader)]


def read(
    format: str,
    paths: Iterable[Path | str] = (),
    columns: Columns | None = None,
    report: Report | None = None,
    labels: Mapping[str, str] | None = None,
    aliases: Path | str | None = None,
) -> Iterator[Record]:
    """Read records, one by one if the format has one record per line.

    Args:
        format: A name in ``FORMATS``.
        paths: Files, or folders whose files are read by suffix; none for ``starter``.
        columns: For ``csv`` and ``jsonl``: the column of each field whose column has another name.
        labels: Date and type of the source (``anamnesis.corpus.weight``), for records that do not
            state their own.
        aliases: For ``facts``: a file of aliases and the names that they stand for.
        report: Filled while reading: how much was read, and what was skipped and why.

    Returns:
        The records. An exact repetition is skipped and counted; a different record with an
        id that was already read is skipped and listed as a problem.

    Raises:
        SettingError: The format is unknown, or has no paths, no columns to map, no aliases, or no
            date and type.
        CorpusError: A path is missing, or (while reading) a file does not have the format.
    """
    loader = FORMATS.get(format)
    if loader is None:
        raise SettingError(f"Unknown format {format!r}. Use one of: {', '.join(FORMATS)}.")
    given = [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]
    if bool(given) != bool(loader.suffixes):
        wanted = "at least one file or folder" if loader.suffixes else "no path"
        raise SettingError(f"Format {format!r} takes {wanted}; {len(given)} were given.")
    if columns and format not in with_columns():
        known = " and ".join(with_columns())
        raise SettingError(
            f"Format {format!r} has columns of its own; a mapping is for {known}. Leave it out."
        )
    tables.check_columns(columns)
    report = Report() if report is None else report
    if isinstance(loader, MergingLoader):
        if labels and any(labels.values()):
            raise SettingError(f"Format {format!r} takes no date or type. Leave them out.")
        return loader.records(given, None if aliases is None else Path(aliases), report)
    if aliases is not None:
        known = " and ".join(with_aliases())
        raise SettingError(f"Format {format!r} has no aliases; they are for {known}.")
    sources = [source for path in given for source in _sources(path.expanduser(), loader)]
    records = _records(loader, sources, columns, report)
    return _unique(_with_labels(records, _validated_labels(labels or {})), report)


def _validated_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """The labels, if they are valid. Raises SettingError otherwise."""
    if (stated := labels.get(TYPE)) and stated not in TYPES:
        raise SettingError(f"the {TYPE} {stated!r} is unknown; use one of {', '.join(TYPES)}")
    if (date := labels.get("date")) and date_of(labels) != date:
        raise SettingError(f"{date!r} is not a date; give it as 2024, 2024-03 or 2024-03-31")
    return {name: value for name, value in labels.items() if value}


def _with_labels(
    records: Iterator[tuple[str, Record]], labels: dict[str, str]
) -> Iterator[tuple[str, Record]]:
    for file, record in records:
        if labels:
            record = replace(record, metadata={**labels, **record.metadata})
        yield file, record


def _sources(path: Path, loader: Loader) -> Iterator[Source]:
    for file in files.find(path, loader.suffixes):
        if file == path:
            yield Source(file, file.name, alone=True)
        else:
            inner = file.relative_to(path).as_posix()
            yield Source(file, f"{path.resolve().name}/{inner}", alone=False)


def _records(
    loader: Loader, sources: list[Source], columns: Columns | None, report: Report
) -> Iterator[tuple[str, Record]]:
    if not sources:
        yield from (("", record) for record in loader.records(_NOWHERE, report, columns))
    for source in sources:
        checksum = files.sha256(source.path)
        for record in loader.records(source, report, columns):
            yield str(source.path), replace(record, origin=source.name, sha256=checksum)


_NOWHERE = Source(Path(), "", alone=True)


def _unique(records: Iterator[tuple[str, Record]], report: Report) -> Iterator[Record]:
    seen: dict[str, bytes] = {}  # id to content; 216,000 records take some 30 MB
    before = Counter(report.skipped)
    for file, record in records:
        content = bytes.fromhex(record.content_hash)
        known = seen.setdefault(record.id, content)
        if known is content:
            report.read += 1
            yield record
        elif known == content:
            report.skip(file, f"record {record.id}", "exact repeat")
        else:
            report.skip(file, f"record {record.id}", "same id as another record")
    skipped = report.skipped - before
    if not seen and not skipped:
        raise CorpusError("The given files contain no records. Check the paths and the format.")
    if not seen and set(skipped) == {documents.UNREADABLE}:
        raise CorpusError(f"No file could be read. The last problem was {report.problems[-1]}.")
