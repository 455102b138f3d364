"""The command with which an operator decides on records waiting for approval."""

import argparse
import dataclasses
import json
from typing import Any

from anamnesis.paths import index_at
from app.run_options import INDEX_HELP, several


def add_command(commands: Any) -> None:
    """``anamnesis review list | approve | reject``."""
    command = commands.add_parser(
        "review",
        help="approve or reject records that wait for approval",
        description="Records that were indexed with --review are not searched until they "
        "are approved.",
    )
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")
    show = kinds.add_parser(
        "list", help="list the waiting records; those that fail a safety check come first"
    )
    show.add_argument("name", metavar="NAME", nargs="?", help="list the records of a collection")
    show.add_argument("--json", action="store_true")
    show.set_defaults(run=_list)
    approve = kinds.add_parser("approve", help="index a collection that waits for approval")
    approve.set_defaults(run=_approve)
    reject = kinds.add_parser("reject", help="discard a collection that waits for approval")
    several(reject, "--record", "ID", "only these records")
    reject.set_defaults(run=_reject)
    for item in (approve, reject):
        item.add_argument("name", metavar="NAME")
        item.add_argument(
            "--by", metavar="WHO", required=True, help="who decides; the name is stored"
        )
    for item in (show, approve, reject):
        item.add_argument("--index", metavar="DIR", help=INDEX_HELP)


def _list(given: argparse.Namespace) -> int:
    from app.experts.reading import read
    from retrievers.review import waiting, waits

    where = index_at(given.index)
    found = [waits(where, given.name)] if given.name else waiting(where)
    listed: list[dict[str, Any]] = []
    for item in found:
        rows = [
            {
                "id": one.record.id,
                "title": one.heading,
                "origin": one.record.origin,
                "failed_checks": one.failed,
            }
            for one in read(item)
        ]
        listed.append({"collection": item.collection, "submitted": item.submitted, "records": rows})
    if given.json:
        print(json.dumps(listed, indent=2))
        return 0 if listed else 1
    for one, item in zip(listed, found, strict=True):
        flagged = sum(bool(row["failed_checks"]) for row in one["records"])
        print(
            f"{item.collection}: {len(item.records)} records since {item.submitted}, "
            f"safety check failed by {flagged}"
        )
        for row in one["records"] if given.name else ():
            checks = f"  ({', '.join(row['failed_checks'])})" if row["failed_checks"] else ""
            print(f"  {row['id']}  {row['title']}  {row['origin']}{checks}")
    if not listed:
        print("nothing waits for approval")
    return 0 if listed else 1


def _approve(given: argparse.Namespace) -> int:
    from anamnesis.models.embedding import load_embedder
    from app.progress import Bars
    from app.users.audit import object_name, recorded
    from retrievers.opening import embedder_of
    from retrievers.review import approve, waits

    where = index_at(given.index)
    found = waits(where, given.name)
    embedder = load_embedder(embedder_of(where, found.embedder, found.rebuild))
    with recorded("approve index", object_name("collection", given.name)):
        changes = approve(where, given.name, given.by, embedder, Bars())
    print(", ".join(f"{n} {what}" for what, n in dataclasses.asdict(changes).items()))
    return 0


def _reject(given: argparse.Namespace) -> int:
    from app.users.audit import object_name, recorded
    from retrievers.review import reject

    with recorded("reject index", object_name("collection", given.name)):
        gone = reject(index_at(given.index), given.name, given.by, given.record)
    print(f"{gone} records rejected")
    return 0
