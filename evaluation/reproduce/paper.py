"""A paper's file: figures with their source, data, models, settings, deviations."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from nodes.settings.context import Context
from nodes.settings.presets import PRESETS

System = Literal["hybrid-memory", "mark", "sparse-dense", "mkrag", "self-medrag"]
SYSTEMS: tuple[System, ...] = get_args(System)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Need(_Strict):
    """A data set: its possible files, the paper's own first; without it ``part`` is left out.

    An empty ``part`` means that nothing can be measured without it.
    """

    name: str
    files: tuple[str, ...] = Field(min_length=1)
    says: str
    part: str = ""


class Model(_Strict):
    """The paper's model for a ``role``, and its replacements, of which the first available is used.

    ``setting`` is the run's setting that names it; ``without`` says what happens if none is
    available.
    """

    role: str
    paper: str
    instead: tuple[str, ...] = ()
    setting: str = ""
    without: str = ""


class Table(_Strict):
    """A table or figure of the paper: figures by row and column, in our units.

    ``rows`` has our rows in order; those that the paper lacks are empty.
    """

    name: str
    title: str
    source: str
    rows: Mapping[str, Mapping[str, float]]


class Paper(_Strict):
    """One of the five papers, and how its experiments are run.

    Attributes:
        system: Its short name, and that of its preset.
        source: Authors, year, publication.
        measures: What is measured, in one sentence.
        data: The data sets.
        models: Its models.
        settings: By name, in addition to the preset.
        by_row: Settings that the rows of the page set, so that a user cannot.
        sizes: Numbers of the paper's protocol: questions, runs, …
        quick: The same for a small sample.
        tables: The reported figures.
        deviations: Differences of this measurement, in words.
    """

    system: System
    source: str
    measures: str
    data: tuple[Need, ...]
    models: tuple[Model, ...]
    settings: Mapping[str, Any] = {}
    by_row: tuple[str, ...] = ()
    sizes: Mapping[str, int]
    quick: Mapping[str, int]
    tables: tuple[Table, ...]
    deviations: tuple[str, ...]

    def context(self, more: Mapping[str, Any]) -> Context:
        """The settings of the preset, those of the paper's file, and ``more``."""
        alone = {"memory.consent": False, "memory.recall": False}
        base = alone if self.system in ("sparse-dense", "mkrag", "self-medrag") else {}
        return Context.model_validate({"preset": self.system, **base, **self.settings, **more})


def load(system: System) -> Paper:
    """The paper of a system, from its file."""
    text = (files(__package__) / f"{system}.toml").read_text("utf-8")
    found = Paper.model_validate(tomllib.loads(text))
    assert found.system in PRESETS
    assert set(found.quick) == set(found.sizes)
    return found
