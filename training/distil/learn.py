"""Training for a given time, and prediction, on whatever device there is."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from training.distil.networks import Judge
from training.distil.texts import Batch, Encoded, batch_of, plan_of, sentence_means

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
_AHEAD = 6
"""Batches that are prepared while another one is learned."""


class Target(NamedTuple):
    """What is to be said of a reading or claim; what is None does not count.

    ``classes`` are the shares of exclusive outputs, by the place of the first one.
    """

    relevance: float | None = None
    sentences: Sequence[float] | None = None
    classes: tuple[tuple[int, Sequence[float], float], ...] = ()
    """(first output, probabilities, weight in the loss)"""
    weight: float = 1.0


Example = tuple[Encoded, Target]


class Outputs(NamedTuple):
    """A model's outputs (n, outputs) and, for each text, the log-odds of its sentences."""

    whole: Tensor
    sentences: list[list[float]]


def steps(
    lengths: Sequence[int], tokens: int, seed: int, make: Callable[[list[int]], Any]
) -> Iterator[Any]:
    """Batches without end, pass after pass, each made in another thread."""

    def plans() -> Iterator[list[int]]:
        for number in count():
            yield from plan_of(lengths, tokens, seed + number)

    with ThreadPoolExecutor(4) as pool:
        source = plans()
        waiting = [pool.submit(make, next(source)) for _ in range(_AHEAD)]
        try:
            while True:
                found = waiting.pop(0).result()
                waiting.append(pool.submit(make, next(source)))
                yield found
        finally:
            for item in waiting:
                item.cancel()


def loss_of(outputs: Tensor, tokens: Tensor, batch: Batch, targets: Sequence[Target]) -> Tensor:
    """The sum of the losses of a batch, divided by the sum of its weights."""
    device = outputs.device
    weights = torch.tensor([item.weight for item in targets], device=device)
    known = torch.tensor([item.relevance is not None for item in targets], device=device)
    relevance = torch.tensor([item.relevance or 0.0 for item in targets], device=device)
    each = functional.binary_cross_entropy_with_logits(outputs[:, 0], relevance, reduction="none")
    total = (each * known * weights).sum()
    if any(item.sentences is not None for item in targets):
        wanted, predicted = [], []
        for item, number in zip(targets, batch.counts, strict=True):
            said = list(item.sentences or [])[:number]
            said += [0.0] * (number - len(said))
            wanted += said
            share = item.weight if item.sentences is not None else 0.0
            # A passage without an answer counts less: nearly all of its sentences are easy.
            share *= 1.0 if max(said, default=0.0) > 0.5 else 0.3
            predicted += [share / max(1, number)] * number
        found = sentence_means(tokens, batch)
        each = functional.binary_cross_entropy_with_logits(
            found, torch.tensor(wanted, device=device), reduction="none"
        )
        total = total + (each * torch.tensor(predicted, device=device)).sum()
    for first, width in {
        (first, len(shares)) for item in targets for first, shares, _ in item.classes
    }:
        shares = torch.zeros(len(targets), width)
        for row, item in enumerate(targets):
            for at, chances, share in item.classes:
                if at == first:
                    shares[row] = share * item.weight * torch.tensor(chances)
        log = outputs[:, first : first + width].log_softmax(1)
        total = total - (log * shares.to(device)).sum()
    return total / weights.sum()


def train(
    model: Judge,
    lengths: Sequence[int],
    make: Callable[[list[int]], list[Example]],
    *,
    seconds: float,
    rate: float,
    tokens: int,
    passes: float = math.inf,
    name: str = "",
) -> None:
    """Train for some seconds, or some passes if they take less; the rate rises and falls with time.

    ``lengths`` are about the tokens of each example, ``make`` gives the examples of some numbers.
    """
    trained = [item for item in model.parameters() if item.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=rate, weight_decay=0.01, fused=True)

    def batch(places: list[int]) -> tuple[Batch, list[Target]]:
        examples = make(places)
        return batch_of([item for item, _ in examples], places), [t for _, t in examples]

    model.train()
    began, seen, total, number, done = time.monotonic(), 0, 0.0, 0, 0.0
    everything = sum(lengths) * passes
    for batch_pairs, targets in steps(lengths, tokens, torch.initial_seed(), batch):
        done = max((time.monotonic() - began) / seconds, seen / everything)
        if done >= 1.0:
            break
        for group in optimizer.param_groups:
            group["lr"] = rate * min(done / 0.06 + 0.02, 1.02 - done, 1.0)
        batch_pairs = batch_pairs.to(DEVICE)
        with torch.autocast(DEVICE, torch.bfloat16):
            outputs, by_token = model(batch_pairs.ids, batch_pairs.types, batch_pairs.lengths)
        loss = loss_of(outputs, by_token, batch_pairs, targets)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        seen += sum(lengths[item] for item in batch_pairs.indices)
        number += 1
        if number % 50 == 0:
            total = float(loss.detach())
            spent = time.monotonic() - began
            print(
                f"{name} {number} {done:.2f} loss {total:.3f} {seen / spent / 1e3:.0f}k tokens/s "
                f"pass {seen / sum(lengths):.2f}",
                flush=True,
            )
    spent = time.monotonic() - began
    print(f"{name}: {number} steps, {seen / sum(lengths):.2f} passes, {spent:.0f} s", flush=True)
    model.eval()


def predict(
    model: Judge, lengths: Sequence[int], make: Callable[[list[int]], list[Encoded]], *, tokens: int
) -> Outputs:
    """What the model says of the texts, in their order."""
    plan = plan_of(lengths, tokens, 3)
    read: list[int] = []
    whole: list[Tensor] = []
    kept: list[tuple[Tensor, list[int]]] = []

    def batch(places: list[int]) -> Batch:
        return batch_of(make(places), places)

    model.eval()
    with ThreadPoolExecutor(4) as pool, torch.inference_mode():
        waiting = [pool.submit(batch, places) for places in plan[:_AHEAD]]
        for step in range(len(plan)):
            batch_now = waiting.pop(0).result().to(DEVICE)
            if step + _AHEAD < len(plan):
                waiting.append(pool.submit(batch, plan[step + _AHEAD]))
            with torch.autocast(DEVICE, torch.bfloat16):
                outputs, by_token = model(batch_now.ids, batch_now.types, batch_now.lengths)
            whole.append(outputs)
            kept.append((sentence_means(by_token, batch_now), batch_now.counts))
            read += batch_now.indices
    sentences: list[list[float]] = []
    for found, counts in kept:
        flat = iter(found.cpu().tolist())
        sentences += [[next(flat) for _ in range(number)] for number in counts]
    order = np.argsort(read)
    return Outputs(torch.cat(whole).cpu()[order], [sentences[item] for item in order])
