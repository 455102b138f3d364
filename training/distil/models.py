"""The networks with their weights, as the training starts from them."""

from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer
from torch import Tensor

from training.distil.learn import DEVICE
from training.distil.networks import Decoder, Encoder, Judge
from training.distil.texts import Tokens
from training.distil.weights import MINILM, MPNET, SMOLLM2, load

RANK = 16
"""That of the language model's adapters."""


def tokens(folder: Path, kind: str, texts: list[str]) -> Tokens:
    """The tokens of all texts; ``kind`` is bert, mpnet or llama."""
    tokenizer: Any = Tokenizer.from_file(str(folder / f"{kind}.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    kept = None if kind == "bert" else np.load(folder / f"{kind}_words.npy")
    return Tokens(kind, tokenizer, texts, kept)


def minilm(folder: Path, name: str, outputs: int) -> Judge:
    """The project's ``reader`` or ``critic``; its word embeddings are not trained."""
    network = Encoder(MINILM)
    model = Judge(network, outputs, pooled=True)
    state = load(folder / f"{name}.safetensors")
    state |= {f"network.{key}": item for key, item in load(folder / "words.safetensors").items()}
    state["network.bias.weight"] = network.bias.weight
    model.load_state_dict(state, strict=name == "reader")
    network.words.requires_grad_(False)
    return model.to(DEVICE)


def mpnet(folder: Path, outputs: int) -> Judge:
    """all-mpnet-base-v2 with new outputs; its word embeddings are not trained."""
    state = load(folder / "mpnet.safetensors")
    network: Encoder = _of_size(Encoder, MPNET, state)
    network.load_state_dict(state | {"types.weight": network.types.weight})
    network.words.requires_grad_(False)
    return Judge(network, outputs, pooled=True).to(DEVICE)


def smollm2(folder: Path, outputs: int) -> Judge:
    """SmolLM2-135M-Instruct with a new adapter and new outputs; nothing else is trained."""
    state = load(folder / "llama.safetensors")
    network = _of_size(Decoder, SMOLLM2, state, RANK)
    missing = network.load_state_dict(state, strict=False).missing_keys
    assert all(name.endswith((".up", ".down")) for name in missing), missing
    model = Judge(network, outputs, pooled=False)
    for name, weights in model.named_parameters():
        # What is not trained is stored as the product computes with it.
        if not weights.requires_grad and "norm" not in name:
            weights.data = weights.data.bfloat16()
    return model.to(DEVICE)


def _of_size(kind: Any, shape: Any, state: dict[str, Tensor], *others: Any) -> Any:
    from dataclasses import replace

    return kind(replace(shape, words=len(state["words.weight"])), *others)


def trained(model: Judge) -> dict[str, Tensor]:
    """The weights that were trained, on the processor."""
    return {
        name: value.detach().float().cpu()
        for name, value in model.named_parameters()
        if value.requires_grad and not name.endswith("bias.weight")
    }
