"""The packed texts, and the sequences that the networks read."""

import gzip
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

QUESTION = 192
"""Maximum tokens of a question; of a longer one the beginning and the end are read."""
NONE = -100
"""A label that is not known."""


class Reading(NamedTuple):
    """A question with a passage, or a message without one; texts by their number.

    ``pieces`` are the heading and the sentences. ``answers`` are places in ``pieces``, None if
    unknown; ``relevance`` is -1 if unknown, ``polar`` and ``level`` are ``NONE``. ``group`` is
    the same for the readings of one question in an evaluation; ``weight`` is that in the loss.
    """

    question: int
    pieces: tuple[int, ...]
    relevance: float = -1.0
    answers: tuple[int, ...] | None = None
    polar: int = NONE
    level: int = NONE
    group: int = -1
    weight: float = 1.0


class Claim(NamedTuple):
    """A premise and a statement by their numbers, and the place of the label in the outputs.

    A pair of a question and a passage has a relevance in 0..1 instead of a label (``NONE``). A pair
    that nobody has judged has neither.
    """

    premise: int
    statement: int
    label: int = NONE
    relevance: float = -1.0


class Encoded(NamedTuple):
    """Token ids, where the second text begins, and the sentences.

    ``ends`` are, for each sentence that fits, the places of its first token and after its last.
    """

    ids: list[int]
    second: int
    ends: list[tuple[int, int]]


def read_rows(file: Path) -> Iterator[Any]:
    """The rows of a packed file."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


class Tokens:
    """The tokens of all texts for one network, each text by itself.

    ``kept`` (tokens,) are the ids whose embeddings are packed, in their order, or None for all.
    """

    def __init__(self, kind: str, tokenizer: Any, texts: Sequence[str], kept: Any) -> None:
        self.kind = kind
        self._new = None
        if kept is not None:
            self._new = np.zeros(int(max(kept)) + 1, np.int64)
            self._new[kept] = np.arange(len(kept))
        self.of: list[list[int]] = []
        for start in range(0, len(texts), 20_000):
            found = tokenizer.encode_batch(texts[start : start + 20_000], add_special_tokens=False)
            self.of += [self._renumbered(item.ids) for item in found]
        first, last = ("[CLS]", "[SEP]") if kind == "bert" else ("<s>", "</s>")
        self.start, self.end = [self._id(tokenizer, first)], [self._id(tokenizer, last)]
        self.between = self.end * (1 if kind == "bert" else 2)

    def _renumbered(self, ids: list[int]) -> list[int]:
        return ids if self._new is None else [int(item) for item in self._new[ids]]

    def _id(self, tokenizer: Any, name: str) -> int:
        return self._renumbered([tokenizer.token_to_id(name)])[0]

    def reading(self, reading: Reading, window: int) -> Encoded:
        """A question with its passage; sentences that do not fit the window are left out."""
        question = self.of[reading.question]
        if len(question) > QUESTION:
            question = question[: QUESTION // 2] + question[-QUESTION // 2 :]
        pieces = [self.of[item] for item in reading.pieces]
        ids = [*self.start, *question, *(self.between if pieces else self.end)]
        close = self.end if pieces else []
        second = len(ids)
        ends: list[tuple[int, int]] = []
        for place, piece in enumerate(pieces):
            room = window - len(ids) - len(close)
            if place > 1 and len(piece) > room:
                break
            first = len(ids)
            ids = ids + piece[: max(0, room)]
            if place:
                ends.append((first, len(ids)))
        ids = ids + close
        return Encoded(ids, second, ends)

    def claim(self, claim: Claim, window: int) -> Encoded:
        """A premise with a statement; the premise is cut at its end."""
        premise, statement = self.of[claim.premise], self.of[claim.statement]
        frame = 2 + len(self.between)
        statement = statement[: max(window // 2, window - frame - len(premise))]
        premise = premise[: window - frame - len(statement)]
        ids = [*self.start, *premise, *self.between]
        second = len(ids)
        return Encoded([*ids, *statement, *self.end], second, [])


class Batch(NamedTuple):
    """Sequences of similar length as tensors; ``indices`` are their numbers in the data.

    ``owner`` (n, t) has for each token the number of its sentence in the batch, or the number of
    sentences for none.
    """

    ids: Tensor
    types: Tensor
    lengths: Tensor
    owner: Tensor
    counts: list[int]
    indices: list[int]

    def to(self, device: str) -> "Batch":
        """The same on a device."""
        ids, types, lengths, owner = (
            item.to(device, non_blocking=True)
            for item in (self.ids, self.types, self.lengths, self.owner)
        )
        return Batch(ids, types, lengths, owner, self.counts, self.indices)


def batch_of(found: Sequence[Encoded], indices: Sequence[int]) -> Batch:
    """The tensors of some sequences."""
    size = -(-max(len(item.ids) for item in found) // 8) * 8
    ids = np.zeros((len(found), size), np.int64)
    types = np.zeros((len(found), size), np.int64)
    total = sum(len(item.ends) for item in found)
    owner = np.full((len(found), size), total, np.int64)
    at = 0
    for row, item in enumerate(found):
        ids[row, : len(item.ids)] = item.ids
        types[row, item.second : len(item.ids)] = 1
        for first, end in item.ends:
            owner[row, first:end] = at
            at += 1
    return Batch(
        torch.from_numpy(ids),
        torch.from_numpy(types),
        torch.tensor([len(item.ids) for item in found]),
        torch.from_numpy(owner),
        [len(item.ends) for item in found],
        list(indices),
    )


def plan_of(lengths: Sequence[int], tokens: int, seed: int) -> list[list[int]]:
    """The numbers of sequences in batches of similar length of at most ``tokens``, shuffled."""
    rng = random.Random(seed)
    places = list(range(len(lengths)))
    rng.shuffle(places)
    made: list[list[int]] = []
    pool = max(512, 40 * tokens // max(1, int(np.mean(lengths or [1]))))
    for start in range(0, len(places), pool):
        group: list[int] = []
        for place in sorted(places[start : start + pool], key=lambda item: lengths[item]):
            if group and lengths[place] * (len(group) + 1) > tokens:
                made.append(group)
                group = []
            group.append(place)
        if group:
            made.append(group)
    rng.shuffle(made)
    return made


def sentence_means(tokens: Tensor, batch: Batch) -> Tensor:
    """The mean log-odds of each sentence's tokens, in the order of the batch."""
    number = sum(batch.counts) + 1
    owner = batch.owner.flatten()
    sums = torch.zeros(number, device=tokens.device).index_add(0, owner, tokens.flatten())
    ones = torch.ones(len(owner), device=tokens.device)
    counts = torch.zeros(number, device=tokens.device).index_add(0, owner, ones)
    return (sums / counts.clamp(min=1))[:-1]
