"""The command that repeats a published system's experiments and compares the figures."""

import argparse
import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anamnesis import SettingError
from anamnesis.paths import home
from app.run_options import pairs_of, several, with_default

if TYPE_CHECKING:  # imported when the command runs, because it takes long
    from evaluation.results import Journal

_DATA = "ANAMNESIS_DATA"


def add_command(commands: Any) -> None:
    """``anamnesis reproduce SYSTEM``."""
    command = commands.add_parser(
        "reproduce",
        help="repeat a paper's experiments and compare the figures on a page",
        description="Repeats the experiments of a published system with its index, prompts and "
        "metrics. Writes a page with the paper's tables, the measured figures, and the "
        "differences. Missing data and models are listed at the start.",
    )
    command.add_argument(
        "system", metavar="SYSTEM", help="hybrid-memory, mark, sparse-dense, mkrag or self-medrag"
    )
    command.add_argument(
        "--data",
        metavar="DIR",
        help=f"folder of the data sets (default: the one that {_DATA} names)",
    )
    command.add_argument(
        "--models",
        metavar="ROLE=REF",
        nargs="+",
        default=[],
        help="models to use instead of the paper's, such as generator=ollama:llama3.1; "
        "ROLE=none leaves out the part that needs the model",
    )
    command.add_argument(
        "--size",
        metavar="NAME=N",
        nargs="+",
        default=[],
        help="sizes of the experiment, such as questions=50 (default: those of the paper)",
    )
    setting = "any other setting of the answers, such as generator.max_tokens=200"
    several(command, "--set", "KEY=VALUE", setting)
    command.add_argument(
        "--quick", action="store_true", help="use a small sample; this takes about a minute"
    )
    with_default(command, "--out", "DIR", "docs/results", "folder for the page")
    command.add_argument(
        "--indexes",
        metavar="DIR",
        help="folder of the indexes (default: reproduce in ANAMNESIS_HOME)",
    )
    command.add_argument(
        "--seed", metavar="N", type=int, default=0, help="seed of every random sample"
    )
    command.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    from app.progress import Bars, bar
    from app.run_options import settings_of
    from evaluation.reproduce.experiments import reproduce
    from evaluation.reproduce.needs import check_settings, find
    from evaluation.reproduce.paper import SYSTEMS, load
    from evaluation.reproduce.running import Run
    from evaluation.results import Journal, digest, journal_of
    from retrievers.manifest import describe

    system = next((item for item in SYSTEMS if item == given.system), None)
    if system is None:
        raise SettingError(f"unknown system {given.system!r}; use one of {', '.join(SYSTEMS)}")
    paper = load(system)
    found = find(paper, _data_folder(given), pairs_of(given.models, "--models", "ROLE=REF"))
    sizes = _sizes(given.size, paper.quick if given.quick else paper.sizes, paper.sizes)
    more = settings_of(given.set, {})
    check_settings(paper, more)
    print(f"{system}: {paper.source}")
    for line in found.lines:
        print(line, flush=True)
    file = Path(given.out) / f"{system}.md"
    setup = {
        "system": system,
        "sizes": sizes,
        "files": {name: describe(item).sha256 for name, item in found.files.items()},
        "models": dict(found.models),
        "seed": given.seed,
        **({"settings": more} if more else {}),
    }
    journal = Journal(journal_of(file), digest(setup))
    run = Run(
        paper=paper,
        files=found.files,
        models=found.models,
        sizes=sizes,
        quick=given.quick,
        indexes=Path(given.indexes) if given.indexes else home() / "reproduce",
        seed=given.seed,
        settings=more,
        bar=bar,
        building=Bars(),
        rows=journal,
    )
    with _deleted_when_done(journal):
        text = reproduce(run, found, file, _command(given), sizes)
    print(f"\n{text}\n{file}")
    return 0


@contextmanager
def _deleted_when_done(journal: "Journal") -> Iterator[None]:
    """Close the journal, and delete its file unless an interrupted run can continue from it."""
    try:
        yield
    except BaseException:
        journal.close()
        if not journal:  # nothing to continue
            journal.file.unlink()
        raise
    journal.close()
    journal.file.unlink()


def _data_folder(given: argparse.Namespace) -> Path:
    folder = given.data or os.environ.get(_DATA)
    if not folder:
        raise SettingError(f"name the folder of the data sets with --data, or in {_DATA}")
    return Path(folder)


def _command(given: argparse.Namespace) -> str:
    """The command that repeats the measurement, without paths of this machine."""
    words = ["anamnesis", "reproduce", given.system]
    words += ["--models", *_placeless(given.models)] if given.models else []
    words += ["--size", *given.size] if given.size else []
    words += [word for item in given.set for word in ("--set", item)]
    words += ["--quick"] if given.quick else []
    return shlex.join([*words, *(["--seed", str(given.seed)] if given.seed else [])])


def _placeless(models: list[str]) -> list[str]:
    from evaluation.results import placeless

    pairs = (item.partition("=") for item in models)
    return [f"{role}={placeless(reference)}" for role, _, reference in pairs]


def _sizes(given: list[str], sizes: Any, in_full: Mapping[str, int]) -> dict[str, int]:
    """The sizes, some of them chosen; 0 means everything, where the paper uses everything."""
    chosen = dict(sizes)
    for name, value in pairs_of(given, "--size", "NAME=N").items():
        if name not in chosen or not value.isdecimal():
            raise SettingError(
                f"--size {name}={value}: give a whole number for one of {', '.join(chosen)}"
            )
        chosen[name] = int(value)
        if not chosen[name] and in_full[name]:
            raise SettingError(f"--size {name}={value}: give at least 1")
    return chosen
