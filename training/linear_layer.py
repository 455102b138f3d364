"""The command that fits and stores a linear layer on the embedder's vectors."""

import argparse
import sys
from collections.abc import Callable, Sequence
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
    """Run ``python -m module``. Returns 0 on success, 1 with a message if something is missing.

    ``fit`` gives weight (dimensions,) and bias (1,) from the folder of the data sets; they are
    stored in the file ``name``.
    """
    from safetensors.numpy import save_file

    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=about)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--out", type=Path, default=SHIPPED, help="folder of the finished layer")
    chosen = parser.parse_args(arguments)
    try:
        weight, bias = fit(chosen.data)
    except AnamnesisError as error:
        print(error, file=sys.stderr)
        return 1
    file = chosen.out / name
    save_file({"weight": weight, "bias": bias}, file)
    print(f"{file}: {file.stat().st_size} bytes")
    return 0
