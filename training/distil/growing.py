"""A deeper encoder that begins as the one it is grown from.

Before each block comes a copy whose attention and layers add nothing yet: their last matrices are
zero, and its normalisations undo themselves. What the copy adds is learned from there (as in
Net2Net, Chen et al., ICLR 2016). The start is not exactly the smaller encoder: a normalisation
undoes itself only up to the spread of its input, and the critic's AUROC begins a little lower
(replies .889 for .923, claims .946 for .966).
"""

from collections.abc import Mapping

import torch
from torch import Tensor

_BLOCKS = "network.blocks."
_SILENT = ("out", "down")
"""The layers of a block by which it changes the vectors."""
_PARTS = ("weight", "bias")


def with_twice_the_blocks(state: Mapping[str, Tensor], blocks: int) -> dict[str, Tensor]:
    """A ``Judge``'s state with twice its blocks, each first one of two without an effect yet."""
    found = {name: value for name, value in state.items() if not name.startswith(_BLOCKS)}
    norm = [state[f"network.norm.{part}"] for part in _PARTS]
    for place in range(blocks):
        prefix = f"{_BLOCKS}{place}."
        weights = {
            name.removeprefix(prefix): value
            for name, value in state.items()
            if name.startswith(prefix)
        }
        for at, block in enumerate((_identity_block(weights, *norm), weights)):
            found |= {f"{_BLOCKS}{2 * place + at}.{name}": item for name, item in block.items()}
        norm = [weights[f"second_norm.{part}"] for part in _PARTS]
    return found


def _identity_block(block: Mapping[str, Tensor], weight: Tensor, bias: Tensor) -> dict[str, Tensor]:
    """A copy of a block that returns what it is given, nearly unchanged.

    What it is given comes from a normalisation with this weight and bias: z * weight + bias, with z
    of mean 0 and variance 1. Normalised again, it is divided by nearly the same number for every
    token, by which the copy's normalisations multiply it.
    """
    mean = bias.mean()
    spread = (weight.square().mean() + bias.square().mean() - mean.square()).sqrt()
    found = {name: value.clone() for name, value in block.items()}
    for layer in _SILENT:
        for part in _PARTS:
            found[f"{layer}.{part}"] = torch.zeros_like(found[f"{layer}.{part}"])
    for norm in ("first_norm", "second_norm"):
        found[f"{norm}.weight"] = torch.full_like(weight, float(spread))
        found[f"{norm}.bias"] = torch.full_like(bias, float(mean))
    return found
