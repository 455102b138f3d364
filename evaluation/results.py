"""Result files: the measures, the configuration, and every row; written atomically.

During a run, the rows are in a journal next to the file. An interrupted run reuses them if it is
the same run: same data, models and settings, identified by their hash.
"""

import json
import os
import platform
from collections import UserDict
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

from anamnesis.errors import CorpusError, SettingError
from evaluation.significance import MEAN_RESAMPLES, RESAMPLES

SCHEMA = 1
# Packages that affect the figures.
PACKAGES = ("anamnesis", "faiss-cpu", "numpy", "onnxruntime", "torch", "transformers")

Rows = MutableMapping[str, Any]
# Called with the numbers of finished and of all questions.
Progress = Callable[[int, int], None]
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Execution:
    """How a protocol is executed.

    Attributes:
        seed: Seed of the bootstrap, and of the randomisation test if there is one.
        resamples: Number of bootstrap resamples of the questions, queries, pairs or the like.
        progress: Called after each of them, or after each batch.
        kept: Results of an earlier run by key, which are reused; new ones are added. None: nothing
            is reused.
    """

    seed: int = 0
    resamples: int = MEAN_RESAMPLES
    progress: Progress | None = None
    kept: Rows | None = None

    @property
    def few_resamples(self) -> int:
        """The number of resamples for a statistic that is slow to resample."""
        return min(self.resamples, RESAMPLES)

    def each(self, items: Sequence[_Item]) -> Iterator[tuple[int, _Item]]:
        """The items in order with their numbers, from 1; reports progress after each."""
        for number, item in enumerate(items, start=1):
            yield number, item
            if self.progress is not None:
                self.progress(number, len(items))

    def once(self, key: object, measure: Callable[[], Any]) -> Any:
        """The kept result with this key; it is measured if there is none."""
        if self.kept is None:
            return measure()
        if str(key) not in self.kept:
            self.kept[str(key)] = measure()
        return self.kept[str(key)]


ONCE = Execution()
"""Execution from the beginning."""


def digest(configuration: Mapping[str, Any]) -> str:
    """SHA-256 of a configuration; the order of its keys does not matter."""
    return sha256(json.dumps(configuration, sort_keys=True).encode()).hexdigest()


def machine() -> dict[str, Any]:
    """The kind of machine: system, processor, number of processors; nothing that identifies it."""
    kind = platform.processor() or platform.machine()
    with suppress(OSError, StopIteration):  # not Linux, or a processor without a name
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        kind = next(
            line.partition(":")[2].strip() for line in lines if line.startswith("model name")
        )
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
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def placeless(reference: str) -> str:
    """A model's reference; for a folder only its name, because its path does not affect results."""
    folder = Path(reference)
    return folder.name if folder.is_absolute() else reference


class Journal(UserDict[str, Any]):
    """Rows by key, each written to disk at once.

    Raises SettingError if ``file`` has rows of another configuration or cannot be written.
    """

    def __init__(self, file: Path, configuration: str) -> None:
        """Load the rows in ``file``, if there are any of the same ``configuration``."""
        super().__init__()
        self.file = file
        try:
            lines = file.read_bytes().split(b"\n") if file.exists() else []
            # A line that was cut off has no line end: it is measured again.
            whole = [_line(file, number, item) for number, item in enumerate(lines[:-1], start=1)]
            if whole and whole[0] != {"configuration": configuration}:
                raise SettingError(
                    f"{file}: its rows are from a run with another configuration. Give the "
                    "options of that run, name another file, or remove this one."
                )
            for item in whole[1:]:
                self.data |= item
            if not whole:
                file.parent.mkdir(parents=True, exist_ok=True)
                lines, whole = [], [{"configuration": configuration}]
                file.write_text(json.dumps(whole[0]) + "\n", "utf-8")
            else:
                os.truncate(file, file.stat().st_size - len(lines[-1]))
            self._stream = file.open("a", encoding="utf-8")
        except OSError as error:
            raise SettingError(f"{file}: it cannot be written ({error}). Name another.") from error

    def __setitem__(self, key: str, row: Any) -> None:
        self._stream.write(json.dumps({key: row}, ensure_ascii=True) + "\n")
        self._stream.flush()
        super().__setitem__(key, row)

    def __delitem__(self, key: str) -> None:
        raise TypeError("rows of a journal stay")

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def journal_of(file: Path) -> Path:
    """The file of the rows of a result that is not finished."""
    return file.with_name(file.name + ".rows")


def write(file: Path, measured: Mapping[str, Any]) -> None:
    """Write a result to ``file`` atomically, with its time, machine and versions.

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
    """Write a file atomically, and make its folder: after a crash it is the old or the new one.

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

    Raises CorpusError if it cannot be read or has another schema.
    """
    remedy = "Give a file that `anamnesis evaluate … --out FILE` has written."
    try:
        found = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise CorpusError(f"{file}: it cannot be read ({error}). {remedy}") from error
    except ValueError as error:
        raise CorpusError(f"{file}: it is not JSON ({error}). {remedy}") from error
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise CorpusError(f"{file}: it is not a result of schema {SCHEMA}. {remedy}")
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
