"""The networks with their weights, as the training starts from them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer
from torch import Tensor

from training.distil.growing import with_twice_the_blocks
from training.distil.learn import DEVICE
from training.distil.networks import Encoder, Judge
from training.distil.texts import Tokens
from training.distil.weights import MINILM, MPNET, blocks, load

MPNET_FILES = ("mpnet-1.safetensors", "mpnet-2.safetensors")
"""The packed files of all-mpnet-base-v2, each small enough to be sent by itself."""


def tokens(folder: Path, kind: str, texts: list[str]) -> Tokens:
    """The tokens of all texts; ``kind`` is bert or mpnet."""
    tokenizer: Any = Tokenizer.from_file(str(folder / f"{kind}.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return Tokens(kind, tokenizer, texts, np.load(folder / f"{kind}_words.npy"))


def minilm(
    folder: Path, name: str, outputs: int, *, deep: bool = False, compiled: bool = False
) -> Judge:
    """The project's ``reader`` or ``critic``; its word embeddings are not trained.

    ``compiled`` blocks train faster, after half a minute. ``deep`` gives it twice the blocks
    (``growing.with_twice_the_blocks``).
    """
    state, words = load(folder / f"{name}.safetensors"), load(folder / "words.safetensors")
    if deep:
        state = with_twice_the_blocks(state, blocks(state))
    network = Encoder(replace(MINILM, words=len(words["words.weight"]), blocks=blocks(state)))
    model = Judge(network, outputs)
    state |= {f"network.{key}": item for key, item in words.items()}
    state["network.bias.weight"] = network.bias.weight
    model.load_state_dict(state, strict=name == "reader")
    network.words.requires_grad_(False)
    return _ready(model, compiled)


def mpnet(folder: Path, outputs: int, *, compiled: bool = False) -> Judge:
    """all-mpnet-base-v2 with new outputs; its word embeddings are not trained."""
    state = load(*(folder / part for part in MPNET_FILES))
    network = Encoder(replace(MPNET, words=len(state["words.weight"])))
    network.load_state_dict(state | {"types.weight": network.types.weight})
    network.words.requires_grad_(False)
    return _ready(Judge(network, outputs), compiled)


def _ready(model: Judge, compiled: bool) -> Judge:
    if compiled:
        model.network.compile_blocks()
    return model.to(DEVICE)


def trained_weights(model: Judge) -> dict[str, Tensor]:
    """The weights that were trained, on the processor."""
    return {
        name: value.detach().float().cpu()
        for name, value in model.named_parameters()
        if value.requires_grad and not name.endswith("bias.weight")
    }
