"""The query encoder: all-MiniLM-L6-v2 for questions, whose passages keep their vectors."""

import random
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from training.distil import models, scores
from training.distil.learn import DEVICE, Outputs
from training.distil.networks import Encoder
from training.distil.texts import Encoded, Reading, Tokens, batch_of, plan_of

_WINDOW = 256
_SHARPNESS, _CONTRAST = 14.0, 20.0
"""The factors of cosines before the softmax: within a question's list, and within the batch."""
_STEEPNESS = 5.0
_QUESTIONS = 160
_RATE = 6e-5


def vectors(model: Encoder, found: Sequence[Encoded]) -> Tensor:
    """The mean vectors (n, hidden) of texts, of length 1."""
    batch = batch_of(found, range(len(found)), last=False).to(DEVICE)
    with torch.autocast(DEVICE, torch.bfloat16):
        each = model(batch.ids, torch.zeros_like(batch.types), batch.lengths)
    seen = torch.arange(each.shape[1], device=each.device) < batch.lengths[:, None]
    return functional.normalize((each.float() * seen[..., None]).sum(1), dim=1)


def _question(tokens: Tokens, number: int) -> Encoded:
    own, most = tokens.of[number], _WINDOW - 2
    if len(own) > most:
        own = own[: most // 2] + own[-most // 2 :]
    return Encoded([*tokens.start, *own, *tokens.end], 0, 0, [])


def _passage(tokens: Tokens, pieces: Sequence[int]) -> Encoded:
    own = [item for piece in pieces for item in tokens.of[piece]][: _WINDOW - 2]
    return Encoded([*tokens.start, *own, *tokens.end], 0, 0, [])


def _all(model: Encoder, found: Sequence[Encoded]) -> Tensor:
    plan = plan_of([len(item.ids) for item in found], 60_000, 1)
    made = torch.empty(len(found), model.shape.hidden, device=DEVICE)
    with torch.inference_mode():
        for own in plan:
            made[own] = vectors(model, [found[item] for item in own])
    return made.clone()


def train_queries(
    pack: Any, tokens: Tokens, rows: Sequence[Reading], relevance: Sequence[float], seconds: float
) -> Encoder:
    """Train for some seconds on the relevance (rows,) of passages to questions.

    Each question's list is ordered as its relevance, and one that helps is nearer than those of the
    other questions.
    """
    rng = random.Random(5)
    model = models.embedder(pack.folder)
    places: dict[tuple[int, ...], int] = {}
    lists: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    for row, chance in zip(rows, relevance, strict=False):
        if row.pieces:
            lists[row.question].append((places.setdefault(row.pieces, len(places)), chance))
    held = _all(model, [_passage(tokens, pieces) for pieces in places])
    print(f"queries: {len(lists)} questions, {len(places)} passages", flush=True)
    _show("embedder", model, model, pack, tokens)
    start = models.embedder(pack.folder).eval()
    trained = [item for item in model.parameters() if item.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=_RATE, weight_decay=0.01)
    asked = [item for item, own in lists.items() if len(own) > 1 or own[0][1] > 0.5]
    began, number, done = time.monotonic(), 0, 0.0
    while done < 1.0:
        rng.shuffle(asked)
        for at in range(0, len(asked) - _QUESTIONS + 1, _QUESTIONS):
            done = (time.monotonic() - began) / seconds
            if done >= 1.0:
                break
            for group in optimizer.param_groups:
                group["lr"] = _RATE * min(done / 0.06 + 0.02, 1.02 - done)
            own = asked[at : at + _QUESTIONS]
            moved = vectors(model, [_question(tokens, item) for item in own])
            loss = _loss(moved, held, [_drawn(lists[item], rng) for item in own], rng)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            optimizer.zero_grad()
            number += 1
        if len(asked) < _QUESTIONS:
            break
    print(f"queries: {number} steps, {number * _QUESTIONS / max(1, len(asked)):.1f} passes")
    _show("query encoder", model, start, pack, tokens)
    return model


def _drawn(own: list[tuple[int, float]], rng: random.Random) -> list[tuple[int, float]]:
    return rng.sample(own, min(12, len(own)))


def _loss(
    moved: Tensor, held: Tensor, lists: Sequence[list[tuple[int, float]]], rng: random.Random
) -> Tensor:
    longest = max(map(len, lists))
    places = torch.tensor([[p for p, _ in own] + [0] * (longest - len(own)) for own in lists])
    worth = torch.tensor([[w for _, w in own] + [-1.0] * (longest - len(own)) for own in lists])
    places, worth = places.to(DEVICE), worth.to(DEVICE)
    cosines = torch.einsum("qd,qkd->qk", moved, held[places])
    wanted = (_STEEPNESS * worth).masked_fill(worth < 0, -1e4).softmax(1)
    order = (_SHARPNESS * cosines).masked_fill(worth < 0, -1e4).log_softmax(1)
    loss = -(wanted * order.clamp(min=-50)).sum(1).mean()
    right = [next((p for p, w in sorted(own, key=lambda i: -i[1]) if w > 0.5), -1) for own in lists]
    asking = [row for row, place in enumerate(right) if place >= 0]
    if len(asking) > 1:
        pool = torch.tensor(
            [right[row] for row in asking]
            + [rng.choice(lists[row])[0] for row in range(len(lists))]
        ).to(DEVICE)
        scored = _CONTRAST * moved[asking] @ held[pool].T
        helps = torch.zeros_like(scored, dtype=torch.bool)
        for at, row in enumerate(asking):
            good = torch.tensor([p for p, w in lists[row] if w > 0.3], device=DEVICE)
            helps[at] = torch.isin(pool, good)
        helps[torch.arange(len(asking)), torch.arange(len(asking))] = False
        scored = scored.masked_fill(helps, -1e4)
        loss = loss + functional.cross_entropy(scored, torch.arange(len(asking), device=DEVICE))
    return loss


def _show(name: str, model: Encoder, passages: Encoder, pack: Any, tokens: Tokens) -> None:
    found: dict[str, float] = {}
    for each in ("judged", "message", "summary"):
        rows: list[Reading] = pack.held[each]
        asked = _all(model, [_question(tokens, item.question) for item in rows])
        held = _all(passages, [_passage(tokens, item.pieces) for item in rows])
        cosines = (asked * held).sum(1, keepdim=True).cpu()
        found |= scores.of_readings(each, rows, Outputs(cosines, [[] for _ in rows]))
    print(f"{name}: {found}", flush=True)
