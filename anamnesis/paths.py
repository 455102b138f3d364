"""Where the program keeps what it writes: one folder, ``ANAMNESIS_HOME``."""

import os
from pathlib import Path

from platformdirs import user_data_path


def home() -> Path:
    """The folder of all data the program writes.

    ``ANAMNESIS_HOME`` if it is set, else the platform's user data folder. It is not created.
    """
    chosen = os.environ.get("ANAMNESIS_HOME")
    return Path(chosen).expanduser().absolute() if chosen else user_data_path("anamnesis", False)


def default_index() -> Path:
    """The index folder that is used where none is named."""
    return home() / "index"


def default_memory() -> Path:
    """The folder of what is remembered of users."""
    return home() / "memory"


def models_cache() -> Path:
    """The folder of what is derived from models, such as ONNX copies."""
    return home() / "models"


if __name__ == "__main__":
    # For the Makefile: where the server is to work.
    home().mkdir(parents=True, exist_ok=True)
    print(home())
