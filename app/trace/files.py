"""Recorded runs on disk: one file of JSON lines each, readable only by its owner's account."""

import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

from anamnesis import DataFileError
from anamnesis.language.text import well_formed
from nodes.fields.codes import Problem

ENDINGS = (".partial", ".jsonl")
"""The suffixes of a file while it is written, and when it is complete."""

_HEAD = {"run": str, "question": str, "context": dict}
_STEP = {
    "step": int,
    "node": str,
    "ms": int | float,
    "inputs": dict,
    "update": dict,
    "to": str | None,
    "why": str | None,
}


def path_of(folder: Path, run: str) -> Path:
    """The file of a run in a folder, complete or not."""
    partly, whole = (folder / f"{run}{ending}" for ending in ENDINGS)
    return partly if partly.exists() and not whole.exists() else whole


def write(path: Path, lines: Iterable[Mapping[str, Any]], *, new: bool) -> None:
    """Append lines to a file.

    ``new`` creates it. Raises FileNotFoundError if it is not new and was deleted, so that data
    deleted by a user does not come back.
    """
    how = os.O_CREAT | os.O_EXCL if new else os.O_APPEND
    with os.fdopen(os.open(path, os.O_WRONLY | how, 0o600), "w", encoding="utf-8") as out:
        for item in lines:
            out.write(well_formed(json.dumps(item, ensure_ascii=False)) + "\n")


def unlink(found: Callable[[str], Iterable[Path]]) -> int:
    """Delete the files that ``found`` returns for each suffix. Returns the number of runs."""
    gone = set()
    # In this order: a run that ends in the meantime is found under its new name.
    for ending in ENDINGS:
        for path in [*found(ending)]:
            path.unlink(missing_ok=True)
            gone.add(path.with_suffix(""))
    return len(gone)


def read(path: Path, nodes: Collection[str]) -> list[dict[str, Any]]:
    """The lines of a file: one about the run, then its steps, each of one of the ``nodes``.

    The last line of an unfinished run may be incomplete and is left out. Raises DataFileError if
    the file cannot be read or was not written by a run.
    """
    try:
        # A text may contain other line separators, such as U+2028.
        *lines, rest = path.read_text("utf-8").split("\n")
    except (OSError, ValueError) as error:
        raise DataFileError(f"{path} is not a trace: {error}") from error
    if rest and path.suffix != ENDINGS[0]:
        lines.append(rest)
    if not lines:
        raise DataFileError(f"{path} is not a trace: it is empty")
    return [_checked(path, number, line, nodes) for number, line in enumerate(lines, 1)]


def _is_older(values: Any) -> bool:
    """Whether drafts or rounds are in the form of an earlier version of the program.

    Their failed checks and problems were texts, which no step reads.
    """
    if not isinstance(values, dict):
        return False
    rounds = values.get("rounds")
    made = [values.get("draft"), *(rounds if isinstance(rounds, list) else [])]
    drafts = [item for item in made if isinstance(item, dict)]
    return any(item.get("problem") not in (None, *get_args(Problem)) for item in drafts) or any(
        "failed" not in said for item in drafts for said in item.get("statements") or []
    )


def _checked(path: Path, number: int, line: str, nodes: Collection[str]) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        wrong = str(error)
    else:
        keys = _HEAD if number == 1 else _STEP
        fields = value if isinstance(value, dict) else {}
        bad = [name for name, kind in keys.items() if not isinstance(fields.get(name, ...), kind)]
        if number > 1 and "node" not in bad and fields["node"] not in nodes:
            bad = ["node"]
        if number > 1 and not bad:
            bad = [name for name in ("inputs", "update", "state") if _is_older(fields.get(name))]
        if not bad:
            return fields
        wrong = f"{', '.join(bad)} missing or wrong"
    raise DataFileError(
        f"{path}, line {number}, is not part of a trace: {wrong}; name a run that "
        "`anamnesis ask --trace` or the server has recorded"
    )
