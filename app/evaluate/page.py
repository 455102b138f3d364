"""The command that puts results into one page."""

import argparse
from pathlib import Path

from anamnesis import SettingError
from evaluation.page import page
from evaluation.results import load, put


def report(given: argparse.Namespace) -> int:
    """Write the page of one or more results.

    Raises CorpusError for a file that is no result, SettingError if two have the same name or
    the page cannot be written.
    """
    files = [Path(own) for own in given.results]
    names = [file.stem for file in files]
    if len(set(names)) < len(names):
        raise SettingError(f"{', '.join(names)}: two results have the same name; rename one")
    put(Path(given.out), page({name: load(file) for name, file in zip(names, files, strict=True)}))
    print(f"{given.out}: {len(files)} results")
    return 0
