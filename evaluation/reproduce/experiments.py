"""Runs a paper's experiments and makes their page."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from evaluation.reproduce.needs import AvailableInputs
from evaluation.reproduce.page import page
from evaluation.reproduce.paper import Paper, System
from evaluation.reproduce.remarks import earlier, with_remarks
from evaluation.reproduce.running import Experiment, Run
from evaluation.results import put


def experiment(system: System) -> Experiment:
    """The experiments of a system, from the module with its name."""
    found: Experiment = import_module(f"{__package__}.{system.replace('-', '_')}").measure
    return found


def reproduce(
    run: Run, found: AvailableInputs, file: Path, command: str, sizes: Mapping[str, int]
) -> str:
    """Run the experiments of ``run.paper``, write their page to ``file``, and return it.

    Remarks on an existing page are kept. Raises SettingError, before anything is measured, if they
    would be lost.
    """
    earlier(file)
    paper: Paper = run.paper
    measured = experiment(paper.system)(run)
    if run.settings:
        changed = ", ".join(f"`{name}` = {value}" for name, value in run.settings.items())
        note = f"Settings that are not the paper's: {changed}."
        measured = measured._replace(deviations=[*measured.deviations, note])
    # Read again: the measurement takes long, and somebody may have written meanwhile.
    text = with_remarks(page(paper, measured, found, command, sizes), earlier(file))
    put(file, text)
    return text
