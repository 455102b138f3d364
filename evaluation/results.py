"""Result files: what was measured, with what, and every row of it; whole or not at all.

While it runs, the rows stand in a journal beside the file. A run that was killed takes them up
again, if it is the same run: same data, models and settings, told by a hash of them.
"""

import json
import os
import platform
from collections.abc import Iterator, Mapping, MutableMapping
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from anamnesis.errors import CorpusError, SettingError

SCHEMA = 1
# What figures depend on beside the program.
PACKAGES = ("anamnesis", "faiss-cpu", "numpy", "onnxruntime", "torch", "transformers")

Rows = MutableMapping[str, Any]


def digest(configuration: Mapping[str, Any]) -> str:
    """SHA-256 of a configuration; the order of its keys does not count."""
    return sha256(json.dumps(configuration, sort_keys=True).encode()).hexdigest()


def machine() -> dict[str, Any]:
    """The kind of machine: system, processor, how many of them; nothing that names it."""
    kind = platform.processor() or platform.machine()
    try:
        told = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        kind = next(
            line.partition(":")[2].strip() for line in told if line.startswith("model name")
        )
    except (OSError, StopIteration):
        pass  # not Linux, or a processor that tells no name
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": kind,
        "cores": os.cpu_count(),
    }


def versions() -> dict[str, str]:
    """Python's version and those of ``PACKAGES`` that are installed."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def placeless(reference: str) -> str:
    """A model's reference; of a folder the name alone, for where it lies changes no figure."""
    folder = Path(reference)
    return folder.name if folder.is_absolute() else reference


class Journal(MutableMapping[str, Any]):
    """Rows by key, each on disk as soon as it is set.

    Raises SettingError if ``file`` holds rows of another configuration or cannot be written.
    """

    def __init__(self, file: Path, configuration: str) -> None:
        """Take up the rows in ``file``, if there are any of the same ``configuration``."""
        self.file = file
        self._rows: dict[str, Any] = {}
        try:
            lines = file.read_bytes().split(b"\n") if file.exists() else []
            # What a kill has cut off has no end of line: it is measured again.
            whole = [_line(file, number, own) for number, own in enumerate(lines[:-1], start=1)]
            if whole and whole[0] != {"configuration": configuration}:
                raise SettingError(
                    f"{file}: its rows are of a run with another configuration. Give the same "
                    "options as then, name another file, or remove this one."
                )
            for own in whole[1:]:
                self._rows |= own
            if not whole:
                file.parent.mkdir(parents=True, exist_ok=True)
                lines, whole = [], [{"configuration": configuration}]
                file.write_text(json.dumps(whole[0]) + "\n", "utf-8")
            else:
                os.truncate(file, file.stat().st_size - len(lines[-1]))
            self._stream = file.open("a", encoding="utf-8")
        except OSError as error:
            raise SettingError(f"{file}: it cannot be written ({error}). Name another.") from error

    def __getitem__(self, key: str) -> Any:
        return self._rows[key]

    def __setitem__(self, key: str, row: Any) -> None:
        self._stream.write(json.dumps({key: row}, ensure_ascii=True) + "\n")
        self._stream.flush()
        self._rows[key] = row

    def __delitem__(self, key: str) -> None:
        raise TypeError("rows of a journal stay")

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def close(self) -> None:
        """Let go of the file."""
        self._stream.close()


def journal_of(file: Path) -> Path:
    """Where the rows of a result file stand while it is not finished."""
    return file.with_name(file.name + ".rows")


def write(file: Path, measured: Mapping[str, Any]) -> None:
    """Put a result into ``file`` in one step, with its time, machine and versions.

    Raises SettingError if it cannot be written.
    """
    whole = {
        "schema": SCHEMA,
        "created": datetime.now(UTC).replace(microsecond=0).isoformat(),
        "machine": machine(),
        "versions": versions(),
        **measured,
    }
    put(file, json.dumps(whole, ensure_ascii=False, indent=1) + "\n")


def put(file: Path, text: str) -> None:
    """Write a file, its folder too, in one step: after a crash it is the old or the new one.

    Raises SettingError if it cannot be written.
    """
    new = file.with_name(file.name + ".new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        new.write_text(text, "utf-8")
        new.replace(file)
    except OSError as error:
        raise SettingError(f"{file}: it cannot be written ({error}). Name another.") from error


def load(file: Path) -> dict[str, Any]:
    """The result in ``file``.

    Raises CorpusError if it cannot be read or is none that this program reads.
    """
    remedy = "Give a file that `anamnesis evaluate … --out FILE` has written."
    try:
        found = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise CorpusError(f"{file}: it cannot be read ({error}). {remedy}") from error
    except ValueError as error:
        raise CorpusError(f"{file}: it is no JSON ({error}). {remedy}") from error
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise CorpusError(f"{file}: it is no result of schema {SCHEMA}. {remedy}")
    missing = {"protocol", "configuration", "configuration_sha256"} - set(found)
    if missing:
        raise CorpusError(f"{file}: it lacks {', '.join(sorted(missing))}. {remedy}")
    return found


def _line(file: Path, number: int, text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise SettingError(
            f"{file}, line {number}: it is not a row of a result. Remove the file to start again."
        )
    return found
