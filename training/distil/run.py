"""Trains teachers and students: ``python -m training.distil.run teach|learn PACK OUT``.

``teach`` trains three teachers on what is labelled: a critic and a reader from all-mpnet-base-v2,
and a reader from SmolLM2 with an adapter. The critic then judges the claims, and the readers the
candidates, about which nobody has judged; their mean log-odds count. ``learn`` trains the small
reader on the labels and on what the readers say of the candidates, and the small critic on the
labels (a third) and on what the critic says (two thirds). Needs only torch, numpy, tokenizers and
safetensors. The seconds of a stage are for one H200; on another machine give others.
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
_BATCH = {"mpnet": 12_000, "llama": 12_000, "bert": 24_000}
"""Tokens of a step, padding included."""
_PART = 10_000
"""Candidates that are judged together."""


class Pack:
    """The packed texts, and what refers to them."""

    def __init__(self, folder: Path, share: float) -> None:
        def some(name: str, kind: type) -> list:  # type: ignore[type-arg]
            rows = [kind(*row) for row in read_rows(folder / f"{name}.jsonl.gz")]
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


def reading_target(own: Reading) -> Target:
    """What the data say of a reading."""
    sentences = None
    if own.answers is not None:
        sentences = [float(place in own.answers) for place in range(1, len(own.pieces))]
    classes = []
    if own.polar != NONE:
        classes.append((POLAR, np.eye(4)[own.polar].tolist(), _POLAR_WEIGHT))
    if own.level != NONE:
        classes.append((LEVEL, np.eye(3)[own.level].tolist(), 1.0))
    relevance = None if own.relevance < 0 else own.relevance
    return Target(relevance, sentences, tuple(classes), own.weight)


def claim_target(own: Claim) -> Target:
    """What the data say of a claim."""
    if own.label == NONE:
        return Target(own.relevance, weight=0.5)
    return Target(classes=((1, np.eye(3)[own.label].tolist(), 1.0),))


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

    def make(own: list[int]) -> list[Example]:
        return [(encoded(tokens, rows[item]), targets[item]) for item in own]

    last = tokens.kind == "llama"
    train(model, sizes(tokens, rows), make, tokens=_BATCH[tokens.kind], last=last, **options)  # type: ignore[arg-type]


def judged(model: Judge, tokens: Tokens, rows: Sequence[Reading] | Sequence[Claim]) -> Outputs:
    """What a model says of rows, in their order."""
    read, found = predict(
        model, sizes(tokens, rows), lambda own: [encoded(tokens, rows[item]) for item in own],
        tokens=3 * _BATCH[tokens.kind], last=tokens.kind == "llama",
    )  # fmt: skip
    order = np.argsort(read)
    return Outputs(found.whole[order], [found.sentences[item] for item in order])


def show(name: str, model: Judge, tokens: Tokens, pack: Pack) -> None:
    """Print the figures on what is held out: of a reader, or of a critic."""
    began = time.monotonic()
    found: dict[str, float] = {}
    if name.endswith("reader"):
        for each, rows in pack.held.items():
            found |= scores.of_readings(each, rows, judged(model, tokens, rows))
    else:
        for each, pairs in pack.held_claims.items():
            found |= scores.of_claims(each, pairs, judged(model, tokens, pairs).whole)
    print(f"{name} ({time.monotonic() - began:.0f} s): {json.dumps(found)}", flush=True)


def mean(several: Sequence[Outputs]) -> Outputs:
    """The mean log-odds, and those of exclusive outputs after normalisation."""
    whole = []
    for item in several:
        polar, level = (item.whole[:, POLAR:LEVEL], item.whole[:, LEVEL:])
        parts = (item.whole[:, :1], polar.log_softmax(1), level.log_softmax(1))
        whole.append(torch.cat(parts, 1))
    sentences = []
    for each in zip(*(item.sentences for item in several), strict=True):
        number = max(map(len, each))
        rows = [[*item, *[float("nan")] * (number - len(item))] for item in each]
        sentences.append(np.nanmean(np.array(rows), 0).tolist() if number else [])
    return Outputs(torch.stack(whole).mean(0), sentences)


def teach(pack: Pack, out: Path, seconds: dict[str, float]) -> None:
    """Train the teachers, and store what they say: ``claims.pt`` and ``readings.pt``."""
    mpnet = pack.tokens("mpnet")
    critic = models.mpnet(pack.folder, 4)
    own = [item for item in pack.claims if item.label != NONE]
    fit(critic, mpnet, own, [claim_target(item) for item in own], seconds=seconds["critic"],
        rate=5e-5, name="teaching critic", passes=3)  # fmt: skip
    show("teaching critic", critic, mpnet, pack)
    torch.save(judged(critic, mpnet, pack.claims).whole.half(), out / "claims.pt")
    del critic

    targets = [reading_target(item) for item in pack.readings]
    said: list[list[Outputs]] = []
    for kind, build, rate in (("llama", models.smollm2, 6e-4), ("mpnet", models.mpnet, 4e-5)):
        tokens = mpnet if kind == "mpnet" else pack.tokens(kind)
        reader = build(pack.folder, _OUTPUTS)
        fit(reader, tokens, pack.readings, targets, seconds=seconds[kind], rate=rate,
            name=f"{kind} reader", passes=3)  # fmt: skip
        show(f"{kind} reader", reader, tokens, pack)
        began = time.monotonic()
        parts: list[Outputs] = []
        for start in range(0, len(pack.candidates), _PART):
            if parts and time.monotonic() - began > seconds["label"]:
                break
            parts.append(judged(reader, tokens, pack.candidates[start : start + _PART]))
        said.append(parts)
        print(f"{kind}: {len(parts)} parts of candidates, {time.monotonic() - began:.0f} s")
        del reader
    # The slower one may not have had the time for all parts.
    both = [mean(parts) for parts in zip(*said, strict=False)]
    torch.save([(item.whole.half(), item.sentences) for item in both], out / "readings.pt")


def student_targets(pack: Pack, said: Sequence[Outputs]) -> tuple[list[Reading], list[Target]]:
    """The readings with what the data say, and the candidates with what the teachers say."""
    known = [*pack.readings, *pack.levels]
    targets = [reading_target(item) for item in known]
    for item in said:
        for whole, sentences in zip(item.whole.float(), item.sentences, strict=True):
            chance = float(whole[0].sigmoid())
            quoted = torch.tensor(sentences).sigmoid().tolist()
            polar = whole[POLAR:LEVEL].softmax(0).tolist()
            targets.append(Target(chance, quoted, ((POLAR, polar, _POLAR_WEIGHT * chance),)))
    return [*known, *pack.candidates][: len(targets)], targets


def learn(pack: Pack, taught: Path, out: Path, seconds: dict[str, float]) -> None:
    """Train the small models on what the data and the teachers say."""
    stored = torch.load(taught / "readings.pt", weights_only=True)
    said = [Outputs(whole, sentences) for whole, sentences in stored]
    rows, targets = student_targets(pack, said)
    tokens = pack.tokens("bert")
    reader = models.minilm(pack.folder, "reader", _OUTPUTS)
    show("shipped reader", reader, tokens, pack)
    fit(reader, tokens, rows, targets, seconds=seconds["reader"], rate=1.5e-4, name="small reader",
        passes=6)  # fmt: skip
    show("small reader", reader, tokens, pack)
    save(models.trained(reader), out / "reader.safetensors", 8)
    del reader

    critic = models.minilm(pack.folder, "critic", 4)
    show("shipped critic", critic, tokens, pack)
    taught_claims = torch.load(taught / "claims.pt", weights_only=True).float()
    soft = []
    for item, whole in zip(pack.claims, taught_claims, strict=True):
        own = claim_target(item)
        if item.label != NONE:
            shares = (torch.tensor(own.classes[0][1]) + 2 * whole[1:].softmax(0)) / 3
            own = Target(classes=((1, shares.tolist(), 1.0),))
        soft.append(own)
    fit(critic, tokens, pack.claims, soft, seconds=seconds["small"], rate=1.5e-4,
        name="small critic", passes=6)  # fmt: skip
    show("small critic", critic, tokens, pack)
    save(models.trained(critic), out / "critic.safetensors", 8)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m training.distil.run", description=__doc__)
    parser.add_argument("part", choices=("teach", "learn"))
    parser.add_argument("pack", type=Path, help="folder that training.distil.pack wrote")
    parser.add_argument("out", type=Path, help="folder of the results")
    parser.add_argument("--taught", type=Path, help="folder of the teachers' results")
    parser.add_argument("--seconds", nargs="*", default=[], help="NAME=SECONDS of a stage")
    parser.add_argument("--share", type=float, default=1.0, help="of the data, to try it")
    chosen = parser.parse_args()
    torch.manual_seed(7)
    seconds = {"critic": 70.0, "llama": 85.0, "mpnet": 75.0, "label": 40.0, "reader": 75.0,
               "small": 45.0}  # fmt: skip
    seconds |= {name: float(value) for name, _, value in (s.partition("=") for s in chosen.seconds)}
    chosen.out.mkdir(parents=True, exist_ok=True)
    pack = Pack(chosen.pack, chosen.share)
    if chosen.part == "teach":
        teach(pack, chosen.out, seconds)
    else:
        learn(pack, chosen.taught or chosen.out, chosen.out, seconds)


if __name__ == "__main__":
    main()
