"""The command that shows results on one page."""

import argparse
from pathlib import Path

from anamnesis import SettingError
from evaluation.page import PageParts, page
from evaluation.results import load, put


def report(given: argparse.Namespace, parts: PageParts) -> int:
    """Write the page of one or more results; ``parts`` are the additions of each protocol.

    Raises CorpusError if a file is not a result, SettingError if two have the same name or the page
    cannot be written.
    """
    files = [Path(item) for item in given.results]
    names = [file.stem for file in files]
    if len(set(names)) < len(names):
        raise SettingError(f"{', '.join(names)}: two results have the same name; rename one")
    found = {name: load(file) for name, file in zip(names, files, strict=True)}
    put(Path(given.out), page(found, parts))
    print(f"{given.out}: {len(files)} results")
    return 0
