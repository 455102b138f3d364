"""Statements on one passage in one sequence of a causal model, so that it is read once.

Each statement sees the passage and itself alone, and its positions follow the passage's: it is
judged as if it were the only one.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor


class OnePassage(NamedTuple):
    """The tokens of a passage, and those of each statement on it."""

    passage: list[int]
    statements: list[list[int]]

    @property
    def size(self) -> int:
        """The number of tokens."""
        return len(self.passage) + sum(map(len, self.statements))


class Packed(NamedTuple):
    """Sequences as a model's input.

    ``ids`` and ``positions`` are (n, t); ``mask`` (n, 1, t, t) is true where a token sees another
    one; ``rows`` and ``places`` (statements,) name the last token of each statement.
    """

    ids: Tensor
    positions: Tensor
    mask: Tensor
    rows: Tensor
    places: Tensor


def passage_tokens(tokenizer: Any, passage: str) -> list[int]:
    """The tokens of a passage, in the form that the adapter was trained with."""
    found = tokenizer.encode(f"Source: {passage}", add_special_tokens=False, verbose=False)
    return [tokenizer.bos_token_id, *found]


def statement_tokens(tokenizer: Any, statement: str) -> list[int]:
    """The tokens of a statement after its passage; the last one is where it is judged."""
    text = f"\n\nStatement: {statement}\nSupported:"
    return list(tokenizer.encode(text, add_special_tokens=False, verbose=False))


def packed(sequences: Sequence[OnePassage]) -> Packed:
    """The sequences in one batch; the statements are counted sequence by sequence."""
    size = max(item.size for item in sequences)
    ids = torch.zeros(len(sequences), size, dtype=torch.long)
    positions = torch.zeros(len(sequences), size, dtype=torch.long)
    owner = torch.full((len(sequences), size), -1)
    rows, places = [], []
    for row, (passage, statements) in enumerate(sequences):
        at = 0
        for number, tokens in enumerate([passage, *statements]):
            end = at + len(tokens)
            first = len(passage) if number else 0
            ids[row, at:end] = torch.tensor(tokens)
            positions[row, at:end] = torch.arange(first, first + len(tokens))
            owner[row, at:end] = number
            at = end
            if number:
                rows.append(row)
                places.append(end - 1)
    seen = (owner[:, :, None] == owner[:, None, :]) | (owner[:, None, :] == 0)
    mask = torch.ones(size, size, dtype=torch.bool).tril() & seen
    # Padding sees itself, so that no row of the softmax is empty.
    mask |= torch.eye(size, dtype=torch.bool)
    return Packed(ids, positions, mask[:, None], torch.tensor(rows), torch.tensor(places))


def last_tokens(blocks: Any, batch: Packed) -> Tensor:
    """The vectors (statements, hidden) of a model's blocks at each statement's last token."""
    device, dtype = blocks.device, blocks.dtype
    hidden = blocks(
        input_ids=batch.ids.to(device),
        position_ids=batch.positions.to(device),
        attention_mask=torch.where(batch.mask, 0.0, torch.finfo(dtype).min).to(device, dtype),
        use_cache=False,
    ).last_hidden_state
    found: Tensor = hidden[batch.rows, batch.places].float()
    return found
