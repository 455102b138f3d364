"""The project's small layers on top of the embedder's vectors."""

from pathlib import Path
from typing import Any

from anamnesis.errors import ModelError
from anamnesis.models.folders import OWN


def read_layer(name: str, folder: Path = OWN) -> tuple[dict[str, Any], dict[str, str]]:
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
