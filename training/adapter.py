"""The adapter of the second critic while it is trained, and its published form."""

from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from anamnesis.entailment import LABELS
from anamnesis.models.adapted import SCALE, holder_of
from anamnesis.models.folders import ADAPTER
from anamnesis.models.local_chat import load_causal
from anamnesis.models.reference import Reference
from anamnesis.models.shared_passage import Packed, last_tokens

RANK = 8
FIRST_BLOCK = 10
"""The lowest block that the adapter changes."""
CHANGED = (
    "self_attn.q_proj",
    "self_attn.k_proj",
    "self_attn.v_proj",
    "mlp.gate_proj",
    "mlp.up_proj",
)
"""The matrices of a block that it changes."""


class Adapted(nn.Module):
    """A linear layer with a low-rank change: W x + s · up · down · x."""

    def __init__(self, base: nn.Linear) -> None:
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.empty(RANK, base.in_features))
        self.up = nn.Parameter(torch.zeros(base.out_features, RANK))
        nn.init.kaiming_uniform_(self.down, a=5**0.5)

    def forward(self, x: Tensor) -> Tensor:
        """The layer's output for vectors (…, in_features)."""
        low = x @ self.down.to(x.dtype).T
        said: Tensor = self.base(x)
        return said + low @ (SCALE * self.up).to(x.dtype).T


class Adapter(nn.Module):
    """The blocks of a language model with a low-rank change, and a linear layer over ``LABELS``."""

    def __init__(self, blocks: Any) -> None:
        super().__init__()
        self.blocks = blocks.requires_grad_(False)
        self._changed: dict[str, Adapted] = {}
        for place in range(min(FIRST_BLOCK, len(blocks.layers) - 1), len(blocks.layers)):
            for matrix in CHANGED:
                holder, attribute = holder_of(blocks, name := f"{place}.{matrix}")
                self._changed[name] = Adapted(getattr(holder, attribute))
                setattr(holder, attribute, self._changed[name])
        self.head = nn.Linear(blocks.config.hidden_size, len(LABELS))
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, batch: Packed) -> Tensor:
        """Raw outputs (statements, 3)."""
        found: Tensor = self.head(last_tokens(self.blocks, batch))
        return found

    def state(self) -> dict[str, Tensor]:
        """The trained weights by name; they are the model's own, not copies."""
        factors = {
            f"{name}.{part}": getattr(layer, part)
            for name, layer in self._changed.items()
            for part in ("down", "up")
        }
        return {**factors, "head.weight": self.head.weight, "head.bias": self.head.bias}

    def load(self, state: dict[str, Tensor]) -> None:
        """Take over weights by name, as ``state`` gives them."""
        with torch.no_grad():
            for name, weights in self.state().items():
                weights.copy_(state[name])


def open_adapter(base: Reference, seed: int) -> tuple[Any, Adapter]:
    """The tokenizer of a causal model, and the model with an adapter that changes nothing yet.

    Raises ModelError if the model cannot be loaded.
    """
    torch.manual_seed(seed)
    tokenizer, model = load_causal(base, "bfloat16")
    return tokenizer, Adapter(model.base_model)


def publish(state: dict[str, Tensor], temperature: float, base: Reference, out: Path) -> None:
    """Write the adapter, calibrated by a temperature, as the second critic reads it.

    A model in a folder has another name elsewhere, so only other bases are named in the file. The
    factors become 8-bit integers, with a scale for each dimension of their product.
    """
    stored = {
        name: (state[name].float() / temperature).contiguous()
        for name in ("head.weight", "head.bias")
    }
    for name in [key.removesuffix(".down") for key in state if key.endswith(".down")]:
        down, up = state[f"{name}.down"], state[f"{name}.up"]
        scales = [
            part.abs().amax(over).clamp_min(1e-12) / 127 for part, over in ((down, 1), (up, 0))
        ]
        stored[f"{name}.down"] = (down / scales[0][:, None]).round().to(torch.int8)
        stored[f"{name}.up"] = (up / scales[1]).round().to(torch.int8)
        stored[f"{name}.scale"] = (scales[0] * scales[1]).float()
    about = {} if base.scheme == "folder" else {"base": str(base)}
    save_file(stored, out / ADAPTER, about)
