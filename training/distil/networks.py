"""The encoders, in plain torch, with trained outputs."""

from dataclasses import dataclass
from math import log

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a network, and whether positions are relative (MPNet) in an encoder."""

    hidden: int
    inner: int
    heads: int
    blocks: int
    words: int
    relative: bool = False
    first_position: int = 0
    epsilon: float = 1e-12


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

    def compile_blocks(self) -> None:
        """Compile the blocks, which share one function."""
        for block in self.blocks:
            block.compile(dynamic=True)

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


class Judge(nn.Module):
    """A network with outputs over a whole text and one for every token, pooled as in BERT."""

    def __init__(self, network: Encoder, outputs: int) -> None:
        super().__init__()
        self.network = network
        hidden = network.shape.hidden
        self.pooler = nn.Linear(hidden, hidden)
        self.outputs = nn.Linear(hidden, outputs)
        self.sentence = nn.Linear(hidden, 1)
        for layer in (self.outputs, self.sentence):
            nn.init.normal_(layer.weight, std=0.01)
            nn.init.zeros_(layer.bias)

    def forward(self, ids: Tensor, types: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Outputs (n, outputs) and log-odds of the tokens (n, t)."""
        vectors = self.network(ids, types, lengths)
        whole = torch.tanh(self.pooler(vectors[:, 0]))
        return self.outputs(whole).float(), self.sentence(vectors)[..., 0].float()
