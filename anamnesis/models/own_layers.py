"""The project's small layers on top of the embedder's vectors."""

from functools import cache
from pathlib import Path
from typing import Any

from anamnesis.errors import ModelError
from anamnesis.models.encoder import Vectors
from anamnesis.models.folders import SHIPPED


@cache
def read_layer(name: str, folder: Path = SHIPPED) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays of a file of the project's own weights by their names, and its metadata.

    Raises ModelError, with the remedy, if the file is missing or damaged.
    """
    from safetensors import SafetensorError, safe_open

    file = folder / name
    try:
        with safe_open(file, "numpy") as stored:
            names = stored.keys()
            return {name: stored.get_tensor(name) for name in names}, stored.metadata() or {}
    except (SafetensorError, OSError) as error:
        raise ModelError(
            f"{file} is missing or damaged ({error}); install Anamnesis again"
        ) from error


@cache
def linear_layer(name: str) -> tuple[Vectors, Vectors]:
    """The weight and the bias in such a file. Raises ModelError as ``read_layer`` does."""
    stored, _ = read_layer(name)
    return stored["weight"], stored["bias"]
