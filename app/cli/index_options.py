"""The options of ``anamnesis index``."""

import argparse
from typing import Any

from app.run_options import INDEX_HELP, several, with_default


def add_command(commands: Any) -> None:
    """``anamnesis index FORMAT PATH…``."""
    from anamnesis.corpus.loading import FORMATS

    command = commands.add_parser(
        "index",
        help="add documents to an index",
        description="Add documents to an index. If the index already has the collection, it is "
        "updated: records are added, changed and removed, and only changed records are embedded "
        "again.",
    )
    formats = "; ".join(f"{name}: {item.about}" for name, item in FORMATS.items())
    command.add_argument("format", metavar="FORMAT", help=f"{formats}; or info, remove")
    command.add_argument("paths", metavar="PATH", nargs="*", help="files or folders")
    command.add_argument("--index", metavar="DIR", help=INDEX_HELP)
    command.add_argument(
        "--name", metavar="NAME", help="name of the collection (default: name of the first path)"
    )
    _add_record_options(command)
    command.add_argument(
        "--embedder", metavar="REF", help="embedder of a new index (default: all-MiniLM-L6-v2)"
    )
    command.add_argument(
        "--rebuild", action="store_true", help="rebuild the index from this collection only"
    )
    command.add_argument(
        "--review",
        action="store_true",
        help="hold the records back: they are not searched until `anamnesis review approve`",
    )
    _add_bulk_options(command)
    command.add_argument("--json", action="store_true", help="print what changed as JSON")

    def run(given: argparse.Namespace) -> int:
        from app.cli.index import index

        return index(given)

    command.set_defaults(run=run)


def _add_record_options(command: argparse.ArgumentParser) -> None:
    """The options for how files are read."""
    from anamnesis.corpus.loading import with_aliases, with_columns
    from anamnesis.corpus.weight import TYPES

    several(
        command,
        "--column",
        "FIELD=COLUMN",
        f"for {' and '.join(with_columns())}: the column that has a field, such as question=prompt",
    )
    command.add_argument(
        "--source-type",
        metavar="TYPE",
        help=f"type of the source, for records that do not state it: {', '.join(TYPES)}",
    )
    command.add_argument(
        "--date",
        metavar="DATE",
        help="date of the source, for records that do not state it, such as 2024-03-31",
    )
    command.add_argument(
        "--aliases",
        metavar="FILE",
        help=f"for {' and '.join(with_aliases())}: "
        "file of aliases and the names that they stand for",
    )


def _add_bulk_options(command: argparse.ArgumentParser) -> None:
    """The options for indexing with several workers."""
    bulk = command.add_argument_group(
        "in bulk", "indexing with several workers; see docs/scaling.md"
    )
    bulk.add_argument(
        "--engine",
        choices=("processes", "ray"),
        help="embed in processes on this machine, or with Ray (on the cluster at RAY_ADDRESS)",
    )
    with_default(bulk, "--workers", "N", 2, "number of workers")
    bulk.add_argument(
        "--work",
        metavar="DIR",
        help="folder that all workers can reach; intermediate results are stored in a folder of "
        "their own in it, which is deleted at the end (default: in the data folder)",
    )
    with_default(
        bulk,
        "--max-loss",
        "X",
        0.05,
        "accepted loss of nDCG@10 on a sample; if it is larger, the current index is kept",
    )
