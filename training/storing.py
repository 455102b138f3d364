"""The project's critic and reader between training and their published form.

``anamnesis.models.own_weights`` describes the format and reads it without torch.
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from anamnesis.errors import ModelError
from anamnesis.models.own_weights import (
    CRITIC,
    SCALE,
    WORD_EMBEDDINGS,
    WORDS,
    read_whole,
    read_words,
)

log = logging.getLogger("training")

_PREFIX = "bert."
_MATRICES = ("encoder.", "pooler.")
"""How the names of the matrices begin that are rounded to 8 bits."""


def store(
    state: Mapping[str, Tensor], file: Path, others: Mapping[str, Tensor] | None = None
) -> Path:
    """Write a model's float weights in the published format; return the file.

    ``state`` has the names of transformers' BertForSequenceClassification, with or without the
    leading ``bert.``: ``embeddings.…``, ``encoder.layer.N.…`` and ``pooler.dense.…``, besides those
    of the layers of the outputs, such as ``classifier.weight`` (labels, hidden). Matrices (out, in)
    of the blocks and of the pooler are rounded to 8 bits with a scale for each output channel;
    everything else gets half precision. Integers, such as ``position_ids``, and word embeddings are
    left out. ``others`` are written as they are.

    Raises ModelError if ``state`` has other word embeddings (tokens, hidden) than ``WORDS``.
    """
    from safetensors.torch import save_file

    stored: dict[str, Tensor] = dict(others or {})
    for full, given in state.items():
        name, value = full.removeprefix(_PREFIX), given.detach().cpu()
        if not value.is_floating_point():
            continue
        value = value.float()
        if name == WORD_EMBEDDINGS:
            _check_words(value)
        elif value.ndim == 2 and name.startswith(_MATRICES):
            scale = value.abs().amax(dim=1).clamp(min=1e-12) / 127
            stored[name] = torch.round(value / scale[:, None]).to(torch.int8)
            stored[name + SCALE] = scale
        else:
            stored[name] = value.half()
    save_file(stored, file)
    file.chmod(0o644)  # safetensors writes it with access for its owner only
    log.info("%s: %d bytes", file, file.stat().st_size)
    return file


def _check_words(given: Tensor) -> None:
    """Raises ModelError if these are not the published word embeddings, to half precision."""
    published = torch.from_numpy(read_words())
    if given.shape != published.shape or not torch.equal(given.half(), published.half()):
        raise ModelError(
            f"the word embeddings are not those of {WORDS}, which the published format takes them "
            "from; train from that model, without changing them"
        )


def load_classifier(folder: Path, **settings: Any) -> Any:
    """The sequence classifier in a folder in float32, ready for training.

    It is in the published format, or as ``save_pretrained`` writes it; an encoder gets a new layer
    for the outputs. ``settings`` replace those of ``config.json``. Raises ModelError if a published
    file is damaged, or if the package with its word embeddings is not installed.
    """
    from transformers import AutoConfig, AutoModelForSequenceClassification

    auto: Any = AutoModelForSequenceClassification
    if not (folder / CRITIC).is_file():
        return auto.from_pretrained(str(folder), dtype=torch.float32, **settings)
    state = {
        name if name.startswith("classifier.") else _PREFIX + name: torch.from_numpy(value)
        for name, value in read_whole(folder / CRITIC).items()
    }
    # Without this the unused random weights would change what is drawn afterwards.
    with torch.random.fork_rng(devices=[]):
        config = AutoConfig.from_pretrained(str(folder), **settings)
        model = auto.from_config(config, dtype=torch.float32)
    model.load_state_dict(state)
    return model.eval()
