"""The weights of the networks as they are packed: few bytes, and under our names."""

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from training.distil.networks import Shape

MINILM = Shape(hidden=384, inner=1536, heads=12, blocks=6, words=30_522)
"""The project's models may have more blocks."""
MPNET = Shape(
    hidden=768, inner=3072, heads=12, blocks=12, words=30_527, relative=True, first_position=2,
    epsilon=1e-5,
)  # fmt: skip

_BLOCK = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "first_norm": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "second_norm": "output.LayerNorm",
}
"""The names of a block's layers here, and in transformers' BERT."""
_MPNET = _BLOCK | {
    "query": "attention.attn.q",
    "key": "attention.attn.k",
    "value": "attention.attn.v",
    "out": "attention.attn.o",
    "first_norm": "attention.LayerNorm",
}
_PARTS = ("weight", "bias")


def bert_names(blocks: int, *, mpnet: bool = False) -> dict[str, str]:
    """The names of an encoder's weights here, each with transformers' name."""
    names = {
        "words.weight": "embeddings.word_embeddings.weight",
        "positions.weight": "embeddings.position_embeddings.weight",
        **{f"norm.{part}": f"embeddings.LayerNorm.{part}" for part in _PARTS},
    }
    if mpnet:
        names["bias.weight"] = "encoder.relative_attention_bias.weight"
    else:
        names["types.weight"] = "embeddings.token_type_embeddings.weight"
    for place in range(blocks):
        for name, other in (_MPNET if mpnet else _BLOCK).items():
            for part in _PARTS:
                names[f"blocks.{place}.{name}.{part}"] = f"encoder.layer.{place}.{other}.{part}"
    return names


def save(state: Mapping[str, Tensor], file: Path, *, half: bool = False) -> None:
    """Write weights: matrices in 8 bits with a scale for each row, the rest in half precision.

    With ``half`` everything has half precision.
    """
    stored: dict[str, Tensor] = {}
    for name, weights in state.items():
        value = weights.detach().float()
        if half or value.ndim < 2 or min(value.shape) < 64:
            stored[name] = value.half()
        else:
            scale = value.abs().amax(1).clamp(min=1e-12) / 127
            stored[name + ".q8"] = (value / scale[:, None]).round().to(torch.int8)
            stored[name + ".scale"] = scale
    save_file({name: item.contiguous() for name, item in stored.items()}, file)


def load(*files: Path) -> dict[str, Tensor]:
    """The weights of files of ``save`` in single precision."""
    stored = {name: value for file in files for name, value in load_file(file).items()}
    found: dict[str, Tensor] = {}
    for name, value in stored.items():
        bare, _, kind = name.rpartition(".")
        if kind == "q8":
            found[bare] = value.float() * stored[f"{bare}.scale"][:, None]
        elif kind != "scale":
            found[name] = value.float()
    return found


def blocks(state: Mapping[str, Tensor]) -> int:
    """The number of the blocks of a ``Judge``."""
    return sum(name.startswith("network.blocks.") and name.endswith(".up.bias") for name in state)


def renamed(state: Mapping[str, Tensor], names: Mapping[str, str]) -> dict[str, Tensor]:
    """A state of transformers under our names. Raises KeyError for a missing weight."""
    return {name: state[other] for name, other in names.items()}
