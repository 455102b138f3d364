"""The command that adds documents to an index and shows its contents."""

import argparse
import dataclasses
import json
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from anamnesis import SettingError
from anamnesis.address import Location
from anamnesis.corpus.loading import read
from anamnesis.corpus.record import Record
from anamnesis.corpus.report import Report
from anamnesis.corpus.weight import TYPE
from anamnesis.models.embedding import load_embedder
from anamnesis.paths import home, index_at
from app.progress import Bars
from app.run_options import pairs_of
from app.users.audit import object_name, recorded
from retrievers.bulk import put_in_bulk
from retrievers.bulk_accepting import QualityComparison
from retrievers.manifest import read_manifest
from retrievers.opening import embedder_of, open_corpus, writer_at
from retrievers.review import submit


def index(given: argparse.Namespace) -> int:
    """Index documents, remove a collection, or show the contents of an index."""
    where = index_at(given.index)
    if given.format == "info":
        return _info(where, given.json)
    if given.format == "remove":
        return _remove(where, given.paths, given.json)
    return _build(where, given)


def _build(where: Location, given: argparse.Namespace) -> int:
    paths = [Path(path) for path in given.paths]
    report = Report()
    records = _records(given, paths, report)
    name = given.name or _name(given.format, paths)
    if given.review:
        if given.engine:
            raise SettingError("--engine and --review cannot be combined; leave out one")
        return _submit(given, where, records, name, report)
    found: QualityComparison | None = None
    with recorded("change index", object_name("collection", name)):
        reference = embedder_of(where, given.embedder, given.rebuild)
        if given.engine:
            bulk = put_in_bulk(
                records, where, name, partial(load_embedder, reference),
                Path(given.work).expanduser() if given.work else home() / "bulk",
                given.engine, given.workers, Bars(),
                rebuild=given.rebuild, max_loss=given.max_loss,
            )  # fmt: skip
            changes, found = bulk.changes, bulk.found
        else:
            embedder = load_embedder(reference)
            writer = writer_at(where, lambda: embedder)
            changes = writer.put(records, name, Bars(), rebuild=given.rebuild)
    counts = dataclasses.asdict(changes)
    if given.json:
        sample = {"sample": found._asdict()} if found else {}
        print(
            json.dumps({**counts, "read": report.read, "skipped": dict(report.skipped), **sample})
        )
    else:
        print(report)
        print(", ".join(f"{count} {name}" for name, count in counts.items()))
        if found and found.questions:
            before = "" if found.before is None else f", before {found.before:.3f}"
            print(f"nDCG@10 on {found.questions} of its own questions: {found.now:.3f}{before}")
        print(f"index: {where}")
    return 0


def _records(given: argparse.Namespace, paths: list[Path], report: Report) -> Iterator[Record]:
    """The records of the files. Raises SettingError for options that do not fit the format."""
    columns = pairs_of(given.column, "--column", "FIELD=COLUMN") or None
    labels = {TYPE: given.source_type or "", "date": given.date or ""}
    return read(
        given.format, paths, columns=columns, report=report, labels=labels, aliases=given.aliases
    )


def _submit(
    given: argparse.Namespace, where: Location, records: Iterable[Record], name: str, report: Report
) -> int:
    """Hold the records back until they are approved."""
    embedder = embedder_of(where, given.embedder, given.rebuild)
    count = len(submit(records, where, name, embedder, rebuild=given.rebuild).records)
    if given.json:
        counts = {"waiting": count, "read": report.read, "skipped": dict(report.skipped)}
        print(json.dumps(counts))
    else:
        print(report)
        print(f"{count} records wait for approval: anamnesis review list {name}")
    return 0


def _name(format_: str, paths: list[Path]) -> str:
    """The name of a collection: that of its first file without suffixes, or the format."""
    return paths[0].name.split(".")[0] or format_ if paths else format_


def _info(where: Location, as_json: bool) -> int:
    stored = read_manifest(where) if isinstance(where, Path) else open_corpus(where).manifest
    manifest: dict[str, Any] = dataclasses.asdict(stored)
    if as_json:
        print(json.dumps(manifest, indent=2))
    else:
        print(f"index: {where}")
        for name, value in manifest.items():
            print(f"{name}: {json.dumps(value) if isinstance(value, dict) else value}")
    return 0


def _remove(where: Location, names: list[str], as_json: bool) -> int:
    if len(names) != 1:
        raise SettingError("name one collection: anamnesis index remove NAME")
    with recorded("change index", object_name("collection", names[0])):
        counts = dataclasses.asdict(writer_at(where, load_embedder).remove(names[0]))
    print(json.dumps(counts) if as_json else ", ".join(f"{n} {what}" for what, n in counts.items()))
    return 0
