"""The folder for everything that the program writes: ``ANAMNESIS_HOME``."""

import os
from pathlib import Path

from platformdirs import user_data_path

from anamnesis.address import Location, parse_location


def home() -> Path:
    """The folder of all data the program writes.

    ``ANAMNESIS_HOME`` if it is set, otherwise the platform's user data folder. It is not created.
    """
    chosen = os.environ.get("ANAMNESIS_HOME")
    return Path(chosen).expanduser().absolute() if chosen else user_data_path("anamnesis", False)


INDEX = "ANAMNESIS_INDEX"
"""Environment variable of the operator: the folder or the address of the index."""


def default_index() -> Location:
    """The index that is used if no folder is named.

    The folder or server that ``ANAMNESIS_INDEX`` names, otherwise ``index`` in the data folder.
    """
    named = os.environ.get(INDEX)
    return parse_location(named) if named else home() / "index"


def index_at(named: str | None) -> Location:
    """The index at ``named``, a folder or an address; the default one if it is empty."""
    return parse_location(named) if named else default_index()


def default_memory() -> Path:
    """The folder of users' memories."""
    return home() / "memory"


def models_cache() -> Path:
    """The folder of files derived from models, such as ONNX copies."""
    return home() / "models"


if __name__ == "__main__":
    # For the Makefile: the working folder of the server.
    home().mkdir(parents=True, exist_ok=True)
    print(home())
