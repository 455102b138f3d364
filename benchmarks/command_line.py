"""The command line of a benchmark, with the options that many of them have."""

import argparse
import os
import sys
from pathlib import Path

from anamnesis.paths import default_index
from nodes.context import Context


def data_folder(given: str | None) -> Path:
    """The folder of the data sets: the given one, else ``ANAMNESIS_DATA``, else ../shared/data."""
    return Path(given or os.environ.get("ANAMNESIS_DATA") or "../shared/data")


def command_line(doc: str | None, *shared: str) -> argparse.ArgumentParser:
    """A parser for the module with this docstring, and the ``shared`` options that it has.

    These are ``data`` (a folder), ``index`` (a folder; default: that of the program) and ``critic``
    (a reference; default: that of the settings).
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
        critic = Context.model_validate({}).verification.critic
        parser.add_argument("--critic", default=critic, help="reference of the critic")
    return parser
