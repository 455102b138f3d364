"""One stage of training: seeded, resumable, reproducible on machines of the same kind."""

import json
import logging
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from training.examples import LABELS, NLI, Example
from training.storing import load_classifier

log = logging.getLogger("training")

_POOL = 64
"""The number of batches whose examples are sorted by length together."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The parameters of a stage. ``tokens`` is the size of a batch, including padding.

    No dropout: one to three passes over this much data do not overfit so small a model, and drawing
    the masks would take a third of the time on a processor. ``bfloat16`` multiplies in half
    precision, in two thirds of the time if the processor supports it (only for the reader).
    """

    name: str
    rate: float
    tokens: int = 2048
    window: int = 192
    warmup: float = 0.06
    dropout: float = 0.0
    seed: int = 7
    save_every: int = 250
    bfloat16: bool = False


Encoded = tuple[list[int], list[int], float, int]
"""Token ids, token types, relevance (-1: an NLI pair), NLI label (-100: a relevance pair)."""


def encode(tokenizer: Any, examples: Sequence[Example], window: int) -> list[Encoded]:
    """Token ids of the pairs; the longer text is cut if both do not fit the window."""
    found = tokenizer(
        [item.first for item in examples],
        [item.second for item in examples],
        truncation="longest_first",
        max_length=window,
        return_token_type_ids=True,
    )
    return [
        (
            ids,
            types,
            -1.0 if item.relevance is None else item.relevance,
            -100 if item.label is None else NLI.index(item.label),
        )
        for item, ids, types in zip(
            examples, found["input_ids"], found["token_type_ids"], strict=True
        )
    ]


def batches(lengths: Sequence[int], tokens: int, seed: int) -> list[list[int]]:
    """Indices of the examples in batches of similar length and at most ``tokens`` with padding.

    Shuffled with the seed; every example is in exactly one batch.
    """
    rng = random.Random(seed)
    places = list(range(len(lengths)))
    rng.shuffle(places)
    mean = sum(lengths) / max(1, len(lengths))
    pool = max(1, int(_POOL * tokens / max(1.0, mean)))
    made: list[list[int]] = []
    for start in range(0, len(places), pool):
        batch: list[int] = []
        for place in sorted(places[start : start + pool], key=lambda item: lengths[item]):
            if batch and lengths[place] * (len(batch) + 1) > tokens:
                made.append(batch)
                batch = []
            batch.append(place)
        made.append(batch)
    rng.shuffle(made)
    return made


def loss_of(logits: Tensor, relevance: Tensor, label: Tensor) -> Tensor:
    """Cross-entropy of the NLI outputs, plus binary cross-entropy of the relevance output.

    The sum over all pairs, divided by their number. Shapes: (n, 4), (n,), (n,).
    """
    nli = functional.cross_entropy(logits[:, 1:], label, ignore_index=-100, reduction="sum")
    asked = relevance >= 0
    found = functional.binary_cross_entropy_with_logits(
        logits[asked, 0], relevance[asked], reduction="sum"
    )
    return (nli + found) / len(logits)


def learn(
    start: Path,
    examples: Sequence[Example],
    stage: Stage,
    folder: Path,
    probe: Callable[[Any, Any], dict[str, float]] | None = None,
) -> Path:
    """Train the model in ``start`` once on all examples. Returns the new model's folder.

    A finished stage is not trained again; an interrupted one continues from its last checkpoint.
    ``probe`` measures the model and tokenizer at every fourth checkpoint; its results are written
    to ``curve.jsonl``.
    """
    from transformers import AutoTokenizer

    done = folder / stage.name
    if (done / "model.safetensors").is_file():
        log.info("stage %s is done", stage.name)
        return done
    folder.mkdir(parents=True, exist_ok=True)
    saved = folder / f"{stage.name}.checkpoint"
    torch.manual_seed(stage.seed)
    tokenizer: Any = AutoTokenizer.from_pretrained(str(start))
    model = load_classifier(
        start,
        num_labels=len(LABELS),
        id2label=dict(enumerate(LABELS)),
        label2id={name: place for place, name in enumerate(LABELS)},
        hidden_dropout_prob=stage.dropout,
        attention_probs_dropout_prob=stage.dropout,
    )
    # Half of the weights, and too few examples to train all of them: they are frozen.
    model.get_input_embeddings().requires_grad_(False)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device).train()
    trained = [weights for weights in model.parameters() if weights.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=stage.rate, weight_decay=0.01, fused=True)
    encoded = encode(tokenizer, examples, stage.window)
    plan = batches([len(item[0]) for item in encoded], stage.tokens, stage.seed)
    first = resume(saved, model, optimizer, len(plan))
    log.info("stage %s: %d examples, step %d of %d", stage.name, len(encoded), first, len(plan))
    warm = max(1, int(stage.warmup * len(plan)))
    began, seen, total = time.monotonic(), 0, 0.0
    for step in range(first, len(plan)):
        for group in optimizer.param_groups:
            group["lr"] = stage.rate * min(
                (step + 1) / warm, (len(plan) - step) / max(1, len(plan) - warm)
            )
        # Each step has its own seed, so an interrupted stage continues without a difference.
        torch.manual_seed(stage.seed * 1_000_003 + step)
        ids, mask, types, relevance, label = _tensors(encoded, plan[step], device)
        logits = model(input_ids=ids, attention_mask=mask, token_type_ids=types).logits
        loss = loss_of(logits, relevance, label)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        seen += int(mask.sum())
        total += float(loss.detach())
        after = step + 1
        if after % stage.save_every == 0 or after == len(plan):
            speed = seen / (time.monotonic() - began)
            mean = total / (after - first)
            log.info("%s %d/%d loss %.3f %.0f tokens/s", stage.name, after, len(plan), mean, speed)
            save_checkpoint(saved, model, optimizer, after, len(plan))
            if probe and (after // stage.save_every % 4 == 0 or after == len(plan)):
                model.eval()
                note_figures(folder, stage, after, probe(model, tokenizer))
                model.train()
    model.save_pretrained(str(done), safe_serialization=True)
    tokenizer.save_pretrained(str(done))
    saved.unlink(missing_ok=True)
    return done


def average(first: Path, last: Path, share: float, out: Path) -> Path:
    """A model with the weights ``share`` × first + (1 − ``share``) × last. Returns its folder.

    Between a model and its tuned version there are models that keep more of the first one's
    abilities and are no worse at the others (Wortsman et al., 2022, "Robust fine-tuning of
    zero-shot models").
    """
    from transformers import AutoTokenizer

    models = [load_classifier(folder) for folder in (first, last)]
    with torch.no_grad():
        for one, other in zip(models[0].parameters(), models[1].parameters(), strict=True):
            other.lerp_(one, share)
    models[1].save_pretrained(str(out), safe_serialization=True)
    AutoTokenizer.from_pretrained(str(last)).save_pretrained(str(out))
    return out


def save_checkpoint(path: Path, model: Any, optimizer: Any, step: int, steps: int) -> None:
    """Write the checkpoint next to the previous one, then replace that."""
    new = path.with_suffix(".new")
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save({**state, "step": step, "steps": steps}, new)
    new.replace(path)


def resume(path: Path, model: Any, optimizer: Any, steps: int) -> int:
    """Load the checkpoint of a stage with as many steps. Returns its step, 0 if there is none."""
    if not path.is_file():
        return 0
    state = torch.load(path, weights_only=True, map_location=next(model.parameters()).device)
    if state["steps"] != steps:
        return 0
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return int(state["step"])


def note_figures(folder: Path, stage: Stage, step: int, figures: dict[str, float]) -> None:
    """Add the figures of a step to ``curve.jsonl`` in the folder, and to the log."""
    found = {"stage": stage.name, "step": step, **figures}
    with (folder / "curve.jsonl").open("a", encoding="utf-8") as curve:
        curve.write(json.dumps(found) + "\n")
    log.info("%s", found)


def _tensors(
    encoded: Sequence[Encoded], places: Sequence[int], device: torch.device
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    rows = [encoded[place] for place in places]
    longest = max(len(ids) for ids, *_ in rows)
    pad = [longest - len(ids) for ids, *_ in rows]
    ids = torch.tensor([ids + [0] * n for (ids, *_), n in zip(rows, pad, strict=True)])
    types = torch.tensor([types + [0] * n for (_, types, *_), n in zip(rows, pad, strict=True)])
    mask = torch.tensor([[1] * (longest - n) + [0] * n for n in pad])
    relevance = torch.tensor([found for _, _, found, _ in rows])
    label = torch.tensor([found for *_, found in rows])
    return (
        ids.to(device),
        mask.to(device),
        types.to(device),
        relevance.to(device),
        label.to(device),
    )


def logits_of(model: Any, tokenizer: Any, examples: Sequence[Example], window: int) -> Tensor:
    """Raw outputs (n, 4) of the pairs, in order."""
    encoded = encode(tokenizer, examples, window)
    order = sorted(range(len(encoded)), key=lambda place: len(encoded[place][0]))
    found = torch.empty(len(encoded), len(LABELS))
    device = next(model.parameters()).device
    with torch.inference_mode():
        for start in range(0, len(order), 32):
            places = order[start : start + 32]
            ids, mask, types, _, _ = _tensors(encoded, places, device)
            out = model(input_ids=ids, attention_mask=mask, token_type_ids=types).logits
            found[places] = out.float().cpu()
    return found
