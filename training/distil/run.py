"""Trains teachers and students: ``python -m training.distil.run teach|learn reader|critic …``.

``teach`` trains a reader or a critic from all-mpnet-base-v2 on what is labelled; it then judges the
pairs about which nobody has judged. ``learn`` trains the project's small reader on the labels and
on what the larger reader says of the candidates, or the small critic on the labels (a third) and on
what the larger critic says (two thirds); with ``--deep`` the small model has twice its blocks.
Needs only torch, numpy, tokenizers and safetensors. The seconds are for one H200.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from training.distil import models, scores
from training.distil.learn import Example, Outputs, Target, predict, train
from training.distil.networks import Judge
from training.distil.texts import NONE, Claim, Encoded, Reading, Tokens, read_rows
from training.distil.weights import save

WINDOW = 288
POLAR, LEVEL = 1, 5
"""The places of the reader's first outputs for the verdict and for the urgency."""
_OUTPUTS = 8
_POLAR_WEIGHT = 0.3
_BATCH = {"mpnet": 12_000, "bert": 24_000}
"""Tokens of a step, padding included."""


class Pack:
    """The packed texts, and what refers to them."""

    def __init__(self, folder: Path, share: float) -> None:
        def some(name: str, kind: type) -> list:  # type: ignore[type-arg]
            file = folder / f"{name}.jsonl.gz"
            rows = [kind(*row) for row in read_rows(file)] if file.is_file() else []
            if kind is Reading:
                rows = [row._replace(pieces=tuple(row.pieces)) for row in rows]
            return rows[: max(40, int(share * len(rows)))]

        self.folder = folder
        self.texts = list(read_rows(folder / "texts.jsonl.gz"))
        self.readings: list[Reading] = some("readings", Reading)
        self.levels: list[Reading] = some("levels", Reading)
        self.candidates: list[Reading] = some("candidates", Reading)
        self.claims: list[Claim] = some("claims", Claim)
        self.held: dict[str, list[Reading]] = {
            name: some(f"held_{name}", Reading)
            for name in ("asked", "judged", "levels", "message", "summary")
        }
        self.held_claims: dict[str, list[Claim]] = {
            name: some(f"heldclaims_{name}", Claim)
            for name in ("replies", "own", "claims", "healthver")
        }

    def tokens(self, kind: str) -> Tokens:
        """The tokens of all texts for a network."""
        began = time.monotonic()
        found = models.tokens(self.folder, kind, self.texts)
        print(f"{kind}: texts in tokens after {time.monotonic() - began:.0f} s", flush=True)
        return found


def reading_target(reading: Reading) -> Target:
    """What the data say of a reading."""
    sentences = None
    if reading.answers is not None:
        sentences = [float(place in reading.answers) for place in range(1, len(reading.pieces))]
    classes = []
    if reading.polar != NONE:
        classes.append((POLAR, np.eye(4)[reading.polar].tolist(), _POLAR_WEIGHT))
    if reading.level != NONE:
        classes.append((LEVEL, np.eye(3)[reading.level].tolist(), 1.0))
    relevance = None if reading.relevance < 0 else reading.relevance
    return Target(relevance, sentences, tuple(classes), reading.weight)


def claim_target(claim: Claim) -> Target:
    """What the data say of a claim."""
    if claim.label == NONE:
        return Target(None if claim.relevance < 0 else claim.relevance, weight=0.5)
    return Target(classes=((1, np.eye(3)[claim.label].tolist(), 1.0),))


def sizes(tokens: Tokens, rows: Sequence[Reading] | Sequence[Claim]) -> list[int]:
    """About the tokens of each row."""
    known = [len(item) for item in tokens.of]
    return [
        min(WINDOW, 12 + known[item.question] + sum(known[piece] for piece in item.pieces))
        if isinstance(item, Reading)
        else min(WINDOW, 12 + known[item.premise] + known[item.statement])
        for item in rows
    ]


def encoded(tokens: Tokens, row: Reading | Claim) -> Encoded:
    """The sequence of a row."""
    if isinstance(row, Reading):
        return tokens.reading(row, WINDOW)
    return tokens.claim(row, WINDOW)


def fit(
    model: Judge,
    tokens: Tokens,
    rows: Sequence[Reading] | Sequence[Claim],
    targets: Sequence[Target],
    **options: float | str,
) -> None:
    """Train on rows with targets."""

    def make(places: list[int]) -> list[Example]:
        return [(encoded(tokens, rows[item]), targets[item]) for item in places]

    train(model, sizes(tokens, rows), make, tokens=_BATCH[tokens.kind], **options)  # type: ignore[arg-type]


def outputs_of(model: Judge, tokens: Tokens, rows: Sequence[Reading] | Sequence[Claim]) -> Outputs:
    """What a model says of rows, in their order."""
    return predict(
        model, sizes(tokens, rows), lambda places: [encoded(tokens, rows[item]) for item in places],
        tokens=3 * _BATCH[tokens.kind],
    )  # fmt: skip


def show(name: str, model: Judge, tokens: Tokens, pack: Pack) -> None:
    """Print the figures on what is held out: of a reader, or of a critic."""
    began = time.monotonic()
    found: dict[str, float] = {}
    if name.endswith("reader"):
        for each, rows in pack.held.items():
            found |= scores.of_readings(each, rows, outputs_of(model, tokens, rows))
    else:
        for each, pairs in pack.held_claims.items():
            found |= scores.of_claims(each, pairs, outputs_of(model, tokens, pairs).whole)
    print(f"{name} ({time.monotonic() - began:.0f} s): {json.dumps(found)}", flush=True)


def teach_critic(pack: Pack, out: Path, seconds: float, compiled: bool = False) -> None:
    """Train the larger critic, and store what it says of all claims: ``claims.pt``."""
    tokens = pack.tokens("mpnet")
    model = models.mpnet(pack.folder, 4, compiled=compiled)
    claims = [item for item in pack.claims if item.label != NONE]
    fit(model, tokens, claims, [claim_target(item) for item in claims], seconds=seconds, rate=5e-5,
        name="teaching critic", passes=3)  # fmt: skip
    show("teaching critic", model, tokens, pack)
    torch.save(outputs_of(model, tokens, pack.claims).whole.half(), out / "claims.pt")


def teach_reader(pack: Pack, out: Path, seconds: float, compiled: bool = False) -> None:
    """Train the larger reader, and store what it says of the candidates: ``readings.pt``."""
    tokens = pack.tokens("mpnet")
    model = models.mpnet(pack.folder, _OUTPUTS, compiled=compiled)
    targets = [reading_target(item) for item in pack.readings]
    fit(model, tokens, pack.readings, targets, seconds=seconds, rate=4e-5,
        name="teaching reader", passes=3)  # fmt: skip
    show("teaching reader", model, tokens, pack)
    said = outputs_of(model, tokens, pack.candidates)
    torch.save((said.whole.half(), said.sentences), out / "readings.pt")


def student_targets(pack: Pack, said: Outputs) -> tuple[list[Reading], list[Target]]:
    """The readings with what the data say, and the candidates with what the teacher says."""
    known = [*pack.readings, *pack.levels]
    targets = [reading_target(item) for item in known]
    for whole, sentences in zip(said.whole.float(), said.sentences, strict=True):
        chance = float(whole[0].sigmoid())
        quoted = torch.tensor(sentences).sigmoid().tolist()
        polar = whole[POLAR:LEVEL].softmax(0).tolist()
        targets.append(Target(chance, quoted, ((POLAR, polar, _POLAR_WEIGHT * chance),)))
    return [*known, *pack.candidates], targets


def learn_reader(
    pack: Pack,
    taught: Sequence[Path],
    out: Path,
    seconds: float,
    deep: bool,
    compiled: bool = False,
) -> None:
    """Train the small reader on what the data and the (first) teacher say."""
    stored = torch.load(taught[0] / "readings.pt", weights_only=True)
    rows, targets = student_targets(pack, Outputs(*stored))
    tokens = pack.tokens("bert")
    model = models.minilm(pack.folder, "reader", _OUTPUTS, deep=deep, compiled=compiled)
    show("shipped reader", model, tokens, pack)
    fit(model, tokens, rows, targets, seconds=seconds, rate=1.5e-4, name="small reader", passes=6)
    save(models.trained_weights(model), out / "reader.safetensors")
    show("small reader", model, tokens, pack)


def learn_critic(
    pack: Pack,
    taught: Sequence[Path],
    out: Path,
    seconds: float,
    deep: bool,
    compiled: bool = False,
) -> None:
    """Train the small critic on what the data and the teachers say, these on average."""
    tokens = pack.tokens("bert")
    model = models.minilm(pack.folder, "critic", 4, deep=deep, compiled=compiled)
    show("shipped critic", model, tokens, pack)
    said = sum(
        torch.load(folder / "claims.pt", weights_only=True)[:, 1:].float().softmax(1)
        for folder in taught
    ) / len(taught)  # fmt: skip
    soft = []
    for item, taught_shares in zip(pack.claims, said, strict=True):
        target = claim_target(item)
        if item.label != NONE:
            taught_shares = (torch.tensor(target.classes[0][1]) + 2 * taught_shares) / 3
        if item.relevance < 0:
            target = target._replace(classes=((1, taught_shares.tolist(), 1.0),))
        soft.append(target)
    fit(model, tokens, pack.claims, soft, seconds=seconds, rate=1.5e-4, name="small critic",
        passes=6)  # fmt: skip
    save(models.trained_weights(model), out / "critic.safetensors")
    show("small critic", model, tokens, pack)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m training.distil.run", description=__doc__)
    parser.add_argument("part", choices=("teach", "learn"))
    parser.add_argument("model", choices=("reader", "critic"))
    parser.add_argument("pack", type=Path, help="folder that training.distil.pack wrote")
    parser.add_argument("out", type=Path, help="folder of the results")
    parser.add_argument("--taught", type=Path, nargs="+", help="folders of the teachers' results")
    parser.add_argument("--seed", type=int, default=7, help="of new outputs and of the order")
    parser.add_argument("--seconds", type=float, default=200.0, help="of the training")
    parser.add_argument("--deep", action="store_true", help="twice the blocks, for learn")
    parser.add_argument("--compiled", action="store_true", help="faster, after half a minute")
    parser.add_argument("--share", type=float, default=1.0, help="of the data, to try it")
    chosen = parser.parse_args()
    torch.manual_seed(chosen.seed)
    chosen.out.mkdir(parents=True, exist_ok=True)
    pack = Pack(chosen.pack, chosen.share)
    if chosen.part == "teach":
        teach = teach_reader if chosen.model == "reader" else teach_critic
        teach(pack, chosen.out, chosen.seconds, chosen.compiled)
    else:
        learn = learn_reader if chosen.model == "reader" else learn_critic
        taught = chosen.taught or [chosen.out]
        learn(pack, taught, chosen.out, chosen.seconds, chosen.deep, chosen.compiled)


if __name__ == "__main__":
    main()
