"""The encoders and the language model, in plain torch, with trained outputs."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

import torch
from torch import Tensor, nn
from torch.nn import functional

Weights = Mapping[str, Tensor]


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a network, and whether positions are relative (MPNet) in an encoder."""

    hidden: int
    inner: int
    heads: int
    blocks: int
    words: int
    kv_heads: int = 0
    relative: bool = False
    first_position: int = 0
    epsilon: float = 1e-12
    theta: float = 10_000.0


class EncoderBlock(nn.Module):
    """A block of BERT: attention and two layers, each with its normalisation afterwards."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.query, self.key, self.value, self.out = (
            nn.Linear(shape.hidden, shape.hidden) for _ in range(4)
        )
        self.first_norm = nn.LayerNorm(shape.hidden, shape.epsilon)
        self.up = nn.Linear(shape.hidden, shape.inner)
        self.down = nn.Linear(shape.inner, shape.hidden)
        self.second_norm = nn.LayerNorm(shape.hidden, shape.epsilon)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Vectors (n, t, hidden); ``mask`` is true where a token is seen, or is added."""
        n, t, _ = x.shape
        q, k, v = (
            layer(x).view(n, t, self.heads, -1).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
        mask = mask if mask.dtype == torch.bool else mask.to(q.dtype)
        seen = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = self.first_norm(x + self.out(seen.transpose(1, 2).reshape(n, t, -1)))
        second: Tensor = self.second_norm(x + self.down(functional.gelu(self.up(x))))
        return second


class Encoder(nn.Module):
    """BERT or MPNet. ``forward`` takes ids and types (n, t) and the number of tokens (n,)."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.words, shape.hidden)
        self.positions = nn.Embedding(512 + shape.first_position, shape.hidden)
        self.types = nn.Embedding(2, shape.hidden)
        self.norm = nn.LayerNorm(shape.hidden, shape.epsilon)
        self.blocks = nn.ModuleList(EncoderBlock(shape) for _ in range(shape.blocks))
        self.bias = nn.Embedding(32, shape.heads)

    def forward(self, ids: Tensor, types: Tensor, lengths: Tensor) -> Tensor:
        """Vectors (n, t, hidden)."""
        t = ids.shape[1]
        places = torch.arange(t, device=ids.device)
        x = self.words(ids) + self.positions(places + self.shape.first_position)
        mask = (places < lengths[:, None])[:, None, None]
        if self.shape.relative:
            bias = self.bias(_bucket(places[None] - places[:, None])).permute(2, 0, 1)[None]
            mask = torch.where(mask, bias, -1e4)
        else:
            x = x + self.types(types)
            mask = mask.expand(-1, -1, t, -1)
        found: Tensor = self.norm(x)
        for block in self.blocks:
            found = block(found, mask)
        return found


def _bucket(distance: Tensor) -> Tensor:
    """The 32 buckets of T5 for the distance of a key from its query, as MPNet uses them."""
    number, most = 16, 128
    far = distance.abs()
    exact = number // 2
    large = exact + (
        torch.log(far.clamp(min=1).float() / exact) / log(most / exact) * (number - exact)
    ).long().clamp(max=number - 1 - exact)
    return (distance > 0) * number + torch.where(far < exact, far, large)


class Changed(nn.Module):
    """A frozen linear layer with a low-rank change: W x + 2 · up · down · x (LoRA)."""

    def __init__(self, wide: int, out: int, rank: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out, wide), requires_grad=False)
        self.down = nn.Parameter(torch.empty(rank, wide))
        self.up = nn.Parameter(torch.zeros(out, rank))
        nn.init.kaiming_uniform_(self.down, a=5**0.5)

    def forward(self, x: Tensor) -> Tensor:
        """The output for vectors (…, wide)."""
        return functional.linear(x, self.weight) + functional.linear(
            functional.linear(x, self.down), 2.0 * self.up
        )


class RmsNorm(nn.Module):
    """Normalisation by the root of the mean square."""

    def __init__(self, hidden: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden), requires_grad=False)
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        """Vectors of the same shape."""
        found: Tensor = functional.rms_norm(x.float(), x.shape[-1:], self.weight, self.epsilon)
        return found.to(x.dtype)


class DecoderBlock(nn.Module):
    """A block of Llama; the names are those of its matrices in the published adapter."""

    def __init__(self, shape: Shape, rank: int) -> None:
        super().__init__()
        self.shape = shape
        size = shape.hidden // shape.heads
        wide, narrow = shape.hidden, size * shape.kv_heads
        self.self_attn = nn.ModuleDict(
            {
                "q_proj": Changed(wide, wide, rank),
                "k_proj": Changed(wide, narrow, rank),
                "v_proj": Changed(wide, narrow, rank),
                "o_proj": Changed(wide, wide, rank),
            }
        )
        self.mlp = nn.ModuleDict(
            {
                "gate_proj": Changed(wide, shape.inner, rank),
                "up_proj": Changed(wide, shape.inner, rank),
                "down_proj": Changed(shape.inner, wide, rank),
            }
        )
        self.first_norm = RmsNorm(wide, shape.epsilon)
        self.second_norm = RmsNorm(wide, shape.epsilon)

    def forward(self, x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
        """Vectors (n, t, hidden); ``turn`` are the cosines and sines of the positions."""
        n, t, _ = x.shape
        own = self.first_norm(x)
        q, k, v = (
            self.self_attn[f"{name}_proj"](own).view(n, t, heads, -1).transpose(1, 2)
            for name, heads in (
                ("q", self.shape.heads), ("k", self.shape.kv_heads), ("v", self.shape.kv_heads)
            )
        )  # fmt: skip
        groups = self.shape.heads // self.shape.kv_heads
        k, v = (item.repeat_interleave(groups, 1) for item in (_turned(k, turn), v))
        seen = functional.scaled_dot_product_attention(_turned(q, turn), k, v, is_causal=True)
        x = x + self.self_attn["o_proj"](seen.transpose(1, 2).reshape(n, t, -1))
        own = self.second_norm(x)
        gate = functional.silu(self.mlp["gate_proj"](own)) * self.mlp["up_proj"](own)
        found: Tensor = x + self.mlp["down_proj"](gate)
        return found


def _turned(x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    """The vectors of heads (n, heads, t, size) with their rotary positions."""
    half = x.shape[-1] // 2
    swapped = torch.cat((-x[..., half:], x[..., :half]), -1)
    return x * turn[0].to(x.dtype) + swapped * turn[1].to(x.dtype)


class Decoder(nn.Module):
    """Llama with an adapter in every block; right padding needs no mask."""

    def __init__(self, shape: Shape, rank: int) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.words, shape.hidden).requires_grad_(False)
        self.blocks = nn.ModuleList(DecoderBlock(shape, rank) for _ in range(shape.blocks))
        self.norm = RmsNorm(shape.hidden, shape.epsilon)

    def forward(self, ids: Tensor, types: Tensor, lengths: Tensor) -> Tensor:
        """Vectors (n, t, hidden); types and lengths are not needed."""
        size = self.shape.hidden // self.shape.heads
        steps = torch.arange(0, size, 2, device=ids.device).float() / size
        angles = torch.arange(ids.shape[1], device=ids.device)[:, None] * (self.shape.theta**-steps)
        angles = torch.cat((angles, angles), 1)
        turn = angles.cos(), angles.sin()
        x = self.words(ids)
        for block in self.blocks:
            x = block(x, turn)
        found: Tensor = self.norm(x)
        return found


class Judge(nn.Module):
    """A network with outputs over a whole text and, for a reader, one for each sentence.

    ``forward`` takes, beside the network's input, the place (n,) of the token that stands for the
    text. An encoder's reader has a pooler, as BERT has.
    """

    def __init__(self, network: Encoder | Decoder, outputs: int, *, pooled: bool) -> None:
        super().__init__()
        self.network = network
        hidden = network.shape.hidden
        self.pooler = nn.Linear(hidden, hidden) if pooled else None
        self.outputs = nn.Linear(hidden, outputs)
        self.sentence = nn.Linear(hidden, 1)
        for layer in (self.outputs, self.sentence):
            nn.init.normal_(layer.weight, std=0.01)
            nn.init.zeros_(layer.bias)

    def forward(
        self, ids: Tensor, types: Tensor, lengths: Tensor, places: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Outputs (n, outputs) and log-odds of the tokens (n, t)."""
        vectors = self.network(ids, types, lengths)
        whole = vectors[torch.arange(len(ids), device=ids.device), places]
        if self.pooler is not None:
            whole = torch.tanh(self.pooler(whole))
        return self.outputs(whole).float(), self.sentence(vectors)[..., 0].float()
