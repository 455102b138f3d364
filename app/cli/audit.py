"""The command that shows the audit log and checks that it is complete."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.run_options import several


def add_command(commands: Any) -> None:
    """``anamnesis audit verify | show``."""
    command = commands.add_parser(
        "audit",
        help="show who did what, and check that the log is complete",
        description="Lists who asked, read, exported, deleted and logged in, but nothing that "
        "patients wrote.",
    )
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")
    verify = kinds.add_parser("verify", help="check that no entry is altered or missing")
    verify.add_argument(
        "--anchor", metavar="N:HASH", help="output of an earlier verify, stored elsewhere"
    )
    verify.set_defaults(run=_verify)
    show = kinds.add_parser("show", help="list entries, oldest first")
    show.add_argument(
        "--user", metavar="USER", help="what this user did, or what was done to this user's data"
    )
    show.add_argument("--action", metavar="ACTION", help="such as ask, read, delete, login")
    show.add_argument(
        "--since", metavar="TIME", help="such as 2026-01-31 or 2026-01-31T08:00 (UTC)"
    )
    show.add_argument("--until", metavar="TIME", help="before this time (UTC)")
    show.add_argument("--last", type=int, metavar="N", help="only the last N entries")
    show.add_argument("--json", action="store_true", help="print one JSON object per line")
    show.set_defaults(run=_show)
    for kind in (verify, show):
        several(kind, "--archive", "DIR", "folder to which older files of the log were moved")


def _verify(given: argparse.Namespace) -> int:
    from app.users.audit_check import anchor_of, verify

    anchor = anchor_of(given.anchor) if given.anchor else None
    report = verify([Path(item) for item in given.archive], anchor)
    if report.problem:
        print(f"not intact: {report.problem}; the {report.entries} entries before it are intact")
        return 1
    print(
        f"{report.entries} entries, none altered or missing"
        + (f"; {report.last}" if report.last else "")
    )
    return 0


def _show(given: argparse.Namespace) -> int:
    from app.users.audit_check import entries
    from app.users.audit_filter import matches, time_of

    since, until = time_of(given.since), time_of(given.until)
    found = [
        entry
        for entry in entries([Path(item) for item in given.archive])
        if matches(entry, given.user, given.action, since, until)
    ]
    if given.last is not None:
        found = found[-given.last :] if given.last > 0 else []
    for entry in found:
        print(json.dumps(entry) if given.json else _line(entry))
    if not found and not given.json:
        print("no such entries")
    return 0 if found else 1


def _line(entry: Mapping[str, Any]) -> str:
    first = ("n", "time", "kind", "actor", "action", "object", "outcome")
    rest = [f"{name}={value}" for name, value in entry.items() if name not in first]
    return "  ".join(str(entry.get(name, "?")) for name in first) + "".join(
        f"  {item}" for item in rest
    )
