"""The weights of the networks as they are packed: few bytes, and under our names."""

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from training.distil.networks import Shape

MINILM = Shape(hidden=384, inner=1536, heads=12, blocks=6, words=30_522)
MPNET = Shape(
    hidden=768, inner=3072, heads=12, blocks=12, words=30_527, relative=True, first_position=2,
    epsilon=1e-5,
)  # fmt: skip
SMOLLM2 = Shape(
    hidden=576, inner=1536, heads=9, blocks=30, words=49_152, kv_heads=3, epsilon=1e-5,
    theta=100_000.0,
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
        for own, other in (_MPNET if mpnet else _BLOCK).items():
            for part in _PARTS:
                names[f"blocks.{place}.{own}.{part}"] = f"encoder.layer.{place}.{other}.{part}"
    return names


def llama_names(blocks: int) -> dict[str, str]:
    """The names of a language model's weights here, each with transformers' name."""
    names = {"words.weight": "embed_tokens.weight", "norm.weight": "norm.weight"}
    for place in range(blocks):
        at, there = f"blocks.{place}", f"layers.{place}"
        names[f"{at}.first_norm.weight"] = f"{there}.input_layernorm.weight"
        names[f"{at}.second_norm.weight"] = f"{there}.post_attention_layernorm.weight"
        for layer in (*(f"self_attn.{item}_proj" for item in "qkvo"),
                      *(f"mlp.{item}_proj" for item in ("gate", "up", "down"))):  # fmt: skip
            names[f"{at}.{layer}.weight"] = f"{there}.{layer}.weight"
    return names


def save(state: Mapping[str, Tensor], file: Path, bits: int) -> None:
    """Write weights: matrices in ``bits`` bits (4, 8 or 16), the rest in half precision.

    8 bits have a scale for each row, as the published weights; 4 bits have a scale and a minimum
    for each 32 numbers of a row, which is exact for weights that were read from such a file (Q4_1).
    """
    stored: dict[str, Tensor] = {}
    for name, weights in state.items():
        value = weights.detach().float()
        if bits == 16 or value.ndim < 2 or value.shape[1] % 32 or min(value.shape) < 64:
            stored[name] = value.half()
        elif bits == 8 or name == "words.weight":
            scale = value.abs().amax(1).clamp(min=1e-12) / 127
            stored[name + ".q8"] = (value / scale[:, None]).round().to(torch.int8)
            stored[name + ".scale"] = scale
        else:
            groups = value.view(len(value), -1, 32)
            least = groups.amin(2, keepdim=True)
            step = ((groups.amax(2, keepdim=True) - least) / 15).clamp(min=1e-12)
            whole = ((groups - least) / step).round().to(torch.uint8)
            stored[name + ".q4"] = (whole[..., ::2] << 4 | whole[..., 1::2]).contiguous()
            stored[name + ".least"], stored[name + ".step"] = least.half(), step.half()
    save_file({name: item.contiguous() for name, item in stored.items()}, file)


def load(file: Path) -> dict[str, Tensor]:
    """The weights of a file of ``save`` in single precision."""
    stored = load_file(file)
    found: dict[str, Tensor] = {}
    for name, value in stored.items():
        if name.endswith((".scale", ".least", ".step")):
            continue
        bare, _, kind = name.rpartition(".")
        if kind == "q8":
            found[bare] = value.float() * stored[f"{bare}.scale"][:, None]
        elif kind == "q4":
            whole = torch.stack((value >> 4, value & 15), -1).flatten(2).float()
            found[bare] = (
                whole * stored[f"{bare}.step"].float() + stored[f"{bare}.least"].float()
            ).flatten(1)
        else:
            found[name] = value.float()
    return found


def renamed(state: Mapping[str, Tensor], names: Mapping[str, str]) -> dict[str, Tensor]:
    """A state of transformers under our names. Raises KeyError for a missing weight."""
    return {own: state[other] for own, other in names.items()}
