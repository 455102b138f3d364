"""The commands that fit and store linear layers."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from anamnesis.errors import AnamnesisError
from anamnesis.models.folders import SHIPPED


def store_layer(
    module: str,
    about: str | None,
    name: str,
    fit: Callable[[Path], tuple[np.ndarray, np.ndarray]],
    arguments: Sequence[str] | None,
) -> int:
    """Run ``store_layers`` for weight (dimensions,) and bias (1,) of one layer."""

    def named(folder: Path) -> dict[str, np.ndarray]:
        weight, bias = fit(folder)
        return {"weight": weight, "bias": bias}

    return store_layers(module, about, name, named, arguments, "layer")


def store_layers(
    module: str,
    about: str | None,
    name: str,
    fit: Callable[[Path], dict[str, np.ndarray]],
    arguments: Sequence[str] | None,
    what: str,
    metadata: Mapping[str, str] | None = None,
) -> int:
    """Run ``python -m module``. Returns 0 on success, 1 with a message if something is missing.

    ``fit`` gives the arrays from the folder of the data sets; they are stored in the file ``name``,
    with the ``metadata``, which ``fit`` may change. ``what`` they are is for the help.
    """
    from safetensors.numpy import save_file

    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=about)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--out", type=Path, default=SHIPPED, help=f"folder of the finished {what}")
    chosen = parser.parse_args(arguments)
    try:
        layers = fit(chosen.data)
    except AnamnesisError as error:
        print(error, file=sys.stderr)
        return 1
    file = chosen.out / name
    # The file has the bytes of an array as they lie in memory.
    rows = {key: np.ascontiguousarray(array) for key, array in layers.items()}
    save_file(rows, file, dict(metadata or {}))
    print(f"{file}: {file.stat().st_size} bytes")
    return 0
