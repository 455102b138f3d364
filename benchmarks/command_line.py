"""The command line of a benchmark, with the options that many of them have."""

import argparse
import os
import sys
from pathlib import Path

from anamnesis.models.critic import Critic
from anamnesis.paths import default_index
from nodes.parts import Parts
from nodes.settings.context import Context


def data_folder(given: str | None) -> Path:
    """The folder of the data sets: the given one, else ``ANAMNESIS_DATA``, else ../shared/data."""
    return Path(given or os.environ.get("ANAMNESIS_DATA") or "../shared/data")


def command_line(doc: str | None, *shared: str) -> argparse.ArgumentParser:
    """A parser for the module with this docstring, and the ``shared`` options that it has.

    These are ``data`` (a folder), ``index`` (a folder; default: that of the program) and ``critic``
    (references, see ``critic_of``; default: those of the settings).
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{Path(sys.argv[0]).stem}",
        description=doc,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if "data" in shared:
        folder = "folder of the data sets (default: ANAMNESIS_DATA, else ../shared/data)"
        parser.add_argument("--data", type=data_folder, default="", help=folder)
    if "index" in shared:
        parser.add_argument("--index", type=Path, default=default_index(), help="folder")
    if "critic" in shared:
        add_critics(parser)
    return parser


def add_critics(parser: argparse.ArgumentParser) -> None:
    """Add the options that name the critics."""
    usual = Context.model_validate({}).verification
    parser.add_argument("--critic", default=usual.critic, help="reference of the critic")
    second = "reference of the critic that is asked where the first is unsure"
    parser.add_argument("--second-critic", default=usual.second_critic, help=second)


def critic_of(chosen: argparse.Namespace) -> Critic:
    """The critic of a run with these options. Raises ModelError if it cannot be loaded."""
    named = {
        "verification.critic": chosen.critic,
        "verification.second_critic": chosen.second_critic,
    }
    critic = Parts().critic(Context.model_validate(named))
    assert critic is not None
    return critic
