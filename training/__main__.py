"""Rebuilds the project's cross-encoder: ``python -m training --data FOLDER``.

Five stages from all-MiniLM-L6-v2: general inference; all medical data together with relevance; from
the average of both, claims as chat models write them, averaged with the starting weights; replies
to people's questions with more such claims; and these again with planted errors and published
pairs, averaged with the weights after the third stage. Seeded, and resumable: run the same command
again after an interruption.
"""

import argparse
import logging
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anamnesis.corpus.topics import is_held_out
from anamnesis.errors import AnamnesisError
from anamnesis.models.embedding import DEFAULT_EMBEDDER
from anamnesis.models.folders import SHIPPED, folder_of
from anamnesis.models.reference import parse
from training import claims, entailment, medquad, relevance, replies
from training.examples import NLI, Example, check
from training.finish import finish
from training.learn import Stage, average, learn, logits_of

_SEED = 7
GENERAL = Stage("general", rate=1e-4, seed=_SEED)
MEDICAL = Stage("medical", rate=8e-5, seed=_SEED + 1)
GENERAL_SHARE = 0.2
"""The share of stage 1's weights in the average with stage 2's; chosen on dev parts."""
CLAIMS = Stage("claims", rate=4e-5, window=256, seed=_SEED + 2)
CLAIMS_SHARE = 0.4
"""The share of stage 3's weights in the average with the previous ones: a larger share recognises
an assistant's words better, and planted errors worse. Chosen on dev parts, planted errors and
SmolLM2's claims."""

REPLIES = Stage("replies", rate=6e-5, window=256, warmup=0.04, seed=41)
SETTLED = Stage("settled", rate=5e-5, window=256, warmup=0.03, seed=43)
SETTLED_SHARE = 0.6
"""The share of stage 5's weights in the average with those after stage 3: a larger share recognises
replies slightly better, and planted errors worse. Chosen on replies on held-out topics and on
planted errors."""


def general_examples(data: Path) -> list[Example]:
    """Stage 1: general-domain inference."""
    return entailment.general(data)


def medical_examples(data: Path) -> list[Example]:
    """Stage 2: medical inference, planted errors, relevance, and some of stage 1."""
    records = [item for item in medquad.medquad(data) if not is_held_out(item)]
    planted = medquad.claims(records, 12_000, _SEED, reworded=True, mirrored=True)
    return [
        *entailment.medical(data, ("nli_healthver", "nli_scifact")) * 2,
        *entailment.unsettled(data, "nli_healthver") * 2,
        *entailment.unsettled(data, "nli_scifact") * 2,
        *entailment.medical(data, ("nli_nli4ct", "nli_covidfact")),
        *(Example(item.premise, item.sentence, label=item.label) for item in planted),
        *medquad.passages(records, 4_000, _SEED),
        *relevance.questions(data),
        *relevance.graded_answers(data, "train_alexa") * 3,
        *relevance.collections(data, _SEED),
        *random.Random(_SEED).sample(entailment.general(data), 25_000),
    ]


def claims_examples(data: Path) -> list[Example]:
    """Stage 3: claims as an assistant writes them, and some examples of both earlier stages."""
    records = {item.id: item for item in medquad.medquad(data)}
    written = [item for item in claims.read_written() if item.part == "train"]
    rng = random.Random(_SEED)
    return [
        *list(claims.examples(written, records)) * 2,
        *claims.claims_with_other_passages(written, records),
        *rng.sample(medical_examples(data), 14_000),
        *rng.sample(general_examples(data), 3_000),
    ]


def replies_examples(data: Path) -> list[Example]:
    """Stage 4: replies to people's questions, faithful or with one error, and written claims."""
    rng = random.Random(17)
    written = _written(data)
    return [
        *replies.replies(data),
        *rng.sample(written, len(written) * 3 // 4),
        *rng.sample(medical_examples(data), 7_000),
        *rng.sample(general_examples(data), 1_000),
    ]


def settled_examples(data: Path) -> list[Example]:
    """Stage 5: some of stage 4, with more planted errors and published pairs."""
    rng = random.Random(23)
    records = [item for item in medquad.medquad(data) if not is_held_out(item)]
    planted = medquad.claims(records, 6_000, 23, reworded=True, mirrored=True)
    published = [
        *entailment.medical(data, ("nli_healthver", "nli_scifact")),
        *entailment.unsettled(data, "nli_healthver"),
    ]
    return [
        *rng.sample(replies.replies(data), 9_000),
        *rng.sample(_written(data), 5_000),
        *(Example(item.premise, item.sentence, label=item.label) for item in planted),
        *rng.sample(published, 3_000),
        *rng.sample(general_examples(data), 800),
    ]


def _written(data: Path) -> list[Example]:
    records = {item.id: item for item in medquad.medquad(data)}
    trained = [item for item in claims.read_written() if item.part == "train"]
    return list(claims.examples(trained, records))


class Probe:
    """Small measurements on dev parts during training: accuracy of inference."""

    def __init__(self, data: Path) -> None:
        held_out = [item for item in medquad.medquad(data) if is_held_out(item)]
        planted = medquad.claims(held_out, 300, _SEED, reworded=False)
        self._sets = {
            "general": entailment.dev(data, "nli_general_dev_sample")[::4],
            "healthver": entailment.dev(data, "nli_healthver")[::4],
            "planted": [Example(item.premise, item.sentence, label=item.label) for item in planted],
            "claims": claims.dev(data),
            "replies": replies.replies(data, held_out=True),
        }

    def __call__(self, model: Any, tokenizer: Any) -> dict[str, float]:
        """Accuracy over the three labels by set."""
        return {
            name: round(accuracy(model, tokenizer, item, MEDICAL.window), 4)
            for name, item in self._sets.items()
        }


def accuracy(model: Any, tokenizer: Any, examples: Sequence[Example], window: int) -> float:
    """The share of pairs whose most probable NLI label is right."""
    chosen = logits_of(model, tokenizer, examples, window)[:, 1:].argmax(1)
    right = [NLI[int(place)] == item.label for place, item in zip(chosen, examples, strict=True)]
    return sum(right) / len(right)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--work", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--out", type=Path, default=SHIPPED, help="folder of the finished model")
    chosen = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    try:
        check(chosen.data)
        probe = Probe(chosen.data)
        start = folder_of(parse(DEFAULT_EMBEDDER))
        first = learn(start, general_examples(chosen.data), GENERAL, chosen.work, probe)
        last = learn(first, medical_examples(chosen.data), MEDICAL, chosen.work, probe)
        mixed = average(first, last, GENERAL_SHARE, chosen.work / "average")
        claims = learn(mixed, claims_examples(chosen.data), CLAIMS, chosen.work, probe)
        whole = average(mixed, claims, 1 - CLAIMS_SHARE, chosen.work / "whole")
        replied = learn(whole, replies_examples(chosen.data), REPLIES, chosen.work, probe)
        settled = learn(replied, settled_examples(chosen.data), SETTLED, chosen.work, probe)
        shipped = average(whole, settled, 1 - SETTLED_SHARE, chosen.work / "shipped")
        finish(shipped, chosen.data, chosen.out)
    except AnamnesisError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
