"""Rebuilds the project's cross-encoder: ``python -m training --data FOLDER``.

Two stages from all-MiniLM-L6-v2: general inference first, then everything medical together with
relevance. Seeded, and resumable: run the same command again after a stop.
"""

import argparse
import logging
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anamnesis.errors import AnamnesisError
from corpus.topics import is_held_out
from models.embedding import DEFAULT_EMBEDDER
from models.folders import OWN, folder_of
from models.reference import parse
from training import entailment, medquad, relevance
from training.examples import NLI, Example, check
from training.finish import finish
from training.learn import Stage, average, learn, logits_of

log = logging.getLogger("training")

_SEED = 7
GENERAL = Stage("general", rate=1e-4, seed=_SEED)
MEDICAL = Stage("medical", rate=8e-5, seed=_SEED + 1)
GENERAL_SHARE = 0.2
"""Of stage 1's weights in the average with stage 2's; chosen on dev parts."""


def general_examples(data: Path) -> list[Example]:
    """Stage 1: general-domain inference."""
    return entailment.general(data)


def medical_examples(data: Path) -> list[Example]:
    """Stage 2: medical inference, planted errors, relevance, and some of stage 1."""
    records = [own for own in medquad.medquad(data) if not is_held_out(own)]
    claims = medquad.claims(records, 12_000, _SEED, reworded=True, mirrored=True)
    return [
        *entailment.medical(data, ("nli_healthver", "nli_scifact")) * 2,
        *entailment.unsettled(data, "nli_healthver") * 2,
        *entailment.unsettled(data, "nli_scifact") * 2,
        *entailment.medical(data, ("nli_nli4ct", "nli_covidfact")),
        *(Example(own.premise, own.sentence, label=own.label) for own in claims),
        *medquad.passages(records, 4_000, _SEED),
        *relevance.questions(data),
        *relevance.graded_answers(data, "train_alexa") * 3,
        *relevance.collections(data, _SEED),
        *random.Random(_SEED).sample(entailment.general(data), 25_000),
    ]


class Probe:
    """Small measurements on dev parts while training goes on: accuracy of inference."""

    def __init__(self, data: Path) -> None:
        held_out = [own for own in medquad.medquad(data) if is_held_out(own)]
        claims = medquad.claims(held_out, 300, _SEED, reworded=False)
        self._sets = {
            "general": entailment.dev(data, "nli_general_dev_sample")[::4],
            "healthver": entailment.dev(data, "nli_healthver")[::4],
            "planted": [Example(own.premise, own.sentence, label=own.label) for own in claims],
        }

    def __call__(self, model: Any, tokenizer: Any) -> dict[str, float]:
        """Accuracy over the three labels by set."""
        return {
            name: round(accuracy(model, tokenizer, own, MEDICAL.window), 4)
            for name, own in self._sets.items()
        }


def accuracy(model: Any, tokenizer: Any, examples: Sequence[Example], window: int) -> float:
    """The share of pairs whose likeliest NLI label is the right one."""
    chosen = logits_of(model, tokenizer, examples, window)[:, 1:].argmax(1)
    right = [NLI[int(place)] == own.label for place, own in zip(chosen, examples, strict=True)]
    return sum(right) / len(right)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 on success, 1 with a message for what is missing."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--work", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--out", type=Path, default=OWN, help="folder of the finished model")
    chosen = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    try:
        check(chosen.data)
        probe = Probe(chosen.data)
        start = folder_of(parse(DEFAULT_EMBEDDER))
        first = learn(start, general_examples(chosen.data), GENERAL, chosen.work, probe)
        last = learn(first, medical_examples(chosen.data), MEDICAL, chosen.work, probe)
        mixed = average(first, last, GENERAL_SHARE, chosen.work / "average")
        finish(mixed, chosen.data, chosen.out)
    except AnamnesisError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
