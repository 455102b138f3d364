"""The inputs and the results of a system's experiments."""

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from anamnesis.corpus.record import Record
from anamnesis.models.embedding import load_embedder
from evaluation.reproduce.paper import Paper
from evaluation.results import Execution, Progress, Rows
from evaluation.significance import Estimate
from nodes.settings.context import Context
from retrievers.build import Progress as Building
from retrievers.build import build
from retrievers.index import Index, open_index

# The measures by table, row and column; a figure without an interval has an empty one.
Tables = Mapping[str, Mapping[str, Mapping[str, Estimate]]]
# A progress bar for the task with this description.
Bar = Callable[[str], AbstractContextManager[Progress]]


class Measured(NamedTuple):
    """The results of an experiment.

    Attributes:
        tables: Its figures; tables and rows that the paper does not have come last.
        notes: The samples, and further findings, one line each.
        deviations: Differences of this run, in addition to those of the paper's file.
    """

    tables: Tables
    notes: Sequence[str] = ()
    deviations: Sequence[str] = ()


@dataclass(frozen=True)
class Run:
    """One run of a paper's experiments.

    Attributes:
        paper: The paper to reproduce.
        files: The available data sets.
        models: The reference in use by role, or None.
        sizes: The sizes of the samples.
        quick: Whether it is the small sample, which has separate indexes.
        indexes: The folder of the indexes, which are kept for later runs.
        seed: The seed of all random choices.
        bar: Shows progress.
        settings: Settings of the user that replace those of the paper.
        building: Shows the progress of an index.
        rows: What an interrupted earlier run has measured.
    """

    paper: Paper
    files: Mapping[str, Path]
    models: Mapping[str, str | None]
    sizes: Mapping[str, int]
    quick: bool
    indexes: Path
    seed: int
    bar: Bar
    settings: Mapping[str, Any] = field(default_factory=dict)
    building: Building | None = None
    rows: Rows = field(default_factory=dict)

    def context(self, more: Mapping[str, Any] | None = None) -> Context:
        """The paper's settings with the models in use, the user's, and ``more``, by name."""
        chosen = {
            item.setting: self.models[item.role] for item in self.paper.models if item.setting
        }
        changed = {"generator.seed": self.seed} | chosen | dict(self.settings) | dict(more or {})
        return self.paper.context(changed)

    def index(
        self, name: str, *collections: tuple[str, Iterable[Record]], role: str = "embedder"
    ) -> Index:
        """The index of these records by the embedder of a role; an existing one is reused."""
        embedder = load_embedder(str(self.models[role]))
        kind = "-quick" if self.quick else ""
        folder = self.indexes / f"{name}{kind}-{embedder.fingerprint[:8]}"
        for collection, records in collections:
            build(records, folder, embedder, collection, self.building)
        return open_index(folder, embedder)

    @contextmanager
    def executing(self, part: str) -> Iterator[Execution]:
        """The execution of a part of the experiments, which has its own rows."""
        with self.bar(part) as progress:
            yield Execution(self.seed, progress=progress, kept=self.kept(part))

    def kept(self, part: str) -> Rows:
        """The rows of a part of the experiments."""
        return _Part(self.rows, f"{part}: ")


class _Part(MutableMapping[str, Any]):
    """The rows of a journal whose keys have the same prefix."""

    def __init__(self, rows: Rows, begin: str) -> None:
        self._rows, self._begin = rows, begin

    def __getitem__(self, key: str) -> Any:
        return self._rows[self._begin + key]

    def __setitem__(self, key: str, row: Any) -> None:
        self._rows[self._begin + key] = row

    def __delitem__(self, key: str) -> None:
        del self._rows[self._begin + key]

    def __iter__(self) -> Iterator[str]:
        n = len(self._begin)
        return (key[n:] for key in self._rows if key.startswith(self._begin))

    def __len__(self) -> int:
        return sum(1 for _ in self)


Experiment = Callable[[Run], Measured]
