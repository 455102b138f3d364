"""Rebuilds the project's reader: ``python -m training.read --data FOLDER --work FOLDER``.

From the project's cross-encoder, in four stages. Three read a mixture drawn anew for each: the
first moves all blocks at a steady rate, the second leaves the first two as they are and lets the
rate fall, the third takes its negatives from a larger pool. The last one reads what a search
brings, with the judged passages of real messages. Then the outputs are calibrated on what was kept
aside, and the weights are written in 8-bit integers. Seeded, and resumable: run the same command
again after a stop.
"""

import argparse
import logging
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from anamnesis.errors import AnamnesisError
from corpus.topics import is_held_out
from models.embedding import load_embedder
from models.folders import OWN
from training import asked, medquad, relevance, urgent
from training.asked import Neighbours, Reading, passages_of, readings, stretches
from training.examples import Example, records
from training.judged import judged_readings, read_judged
from training.learn import Stage
from training.probe import probe_of
from training.reader import learn, start_from
from training.ship_reader import calibrate, kinds_of, refit_levels, ship

log = logging.getLogger("training")

WINDOW = 288
FIRST = Stage("first", rate=8e-5, window=WINDOW, seed=8, warmup=0.02)
SECOND = Stage("second", rate=8e-5, window=WINDOW, seed=9, warmup=0.02)
THIRD = Stage("third", rate=8e-5, window=WINDOW, seed=21, warmup=0.03)
LAST = Stage("last", rate=9e-5, window=WINDOW, seed=31, warmup=0.03)
FIRST_READINGS = 11_000
"""Readings of the first stage."""
STRETCHES = 5_000
"""Stretches of records that the last two stages draw negatives from."""
_STILL = 2
"""Blocks that the second stage leaves as they are."""


def mixture(data: Path, seed: int, stretched: int = 0) -> list[Reading]:
    """What a stage is trained on, drawn by the seed.

    Three of five questions with their passage, and as many pairs and half as many again with
    passages on other topics that a search brings; passages of MedQuAD, graded answers and
    abstracts, so that what the cross-encoder knew of relevance is kept; messages with their
    one-line questions; messages with their urgency, twice. ``stretched`` is the number of
    stretches of MedQuAD's records among the passages on other topics.
    """
    rng = random.Random(seed)
    known = [own for own in asked.read_asked(data) if not own.held_out]
    topics = [own for own in medquad.medquad(data) if own.focus and not is_held_out(own)]
    pool = [*passages_of(known), *stretches(topics, stretched, seed)]
    own, wrong = readings(known, Neighbours(pool, load_embedder()), seed, others=2)
    earlier = [
        *_some(medquad.passages(topics, 500, seed), 600, rng),
        *_some(relevance.graded_answers(data, "train_alexa"), 300, rng),
        *_some(relevance.collections(data, seed), 400, rng),
    ]
    messages = [own for own in urgent.messages(data) if not urgent.is_dev(own.question)]
    plain = [own for own in known if own.style in ("search", "specific")]
    return [
        *rng.sample(own, len(own) * 3 // 5),
        *rng.sample(wrong, len(own) * 9 // 10),
        *(Reading(own.first, ("", own.second), relevance=own.relevance) for own in earlier),
        *summarised(data, rng),
        *messages * 2,
        *(Reading(own.question, level="routine") for own in rng.sample(plain, 200)),
    ]


def searched(data: Path, seed: int) -> list[Reading]:
    """What the last stage is trained on: as ``mixture``, and with what a search brings.

    All questions with their passage, half as many pairs with stretches of the nearest records on
    other topics; the judged passages of real messages, those that help with the message and with
    its question in one line, two in three of those on something else.
    """
    rng = random.Random(seed)
    known = [own for own in asked.read_asked(data) if not own.held_out]
    topics = [own for own in medquad.medquad(data) if own.focus and not is_held_out(own)]
    pool = [*passages_of(known), *stretches(topics, STRETCHES, seed)]
    own, wrong = readings(known, Neighbours(pool, load_embedder()), seed, others=1)
    judged = [own for own in read_judged(data) if not own.held_out]
    pairs = judged_readings(judged, seed)
    again = [own for own in judged_readings(judged, seed + 1) if (own.relevance or 0) > 0.5]
    earlier = [
        *_some(medquad.passages(topics, 300, seed), 300, rng),
        *_some(relevance.graded_answers(data, "train_alexa"), 300, rng),
        *_some(relevance.collections(data, seed), 200, rng),
    ]
    messages = [own for own in urgent.messages(data) if not urgent.is_dev(own.question)]
    return [
        *own,
        *rng.sample(wrong, len(wrong) // 2),
        *(own for own in pairs if own.relevance != 0.0 or rng.random() < 2 / 3),
        *again,
        *(Reading(own.first, ("", own.second), relevance=own.relevance) for own in earlier),
        *messages * 2,
    ]


def summarised(data: Path, rng: random.Random) -> list[Reading]:
    """A quarter of MeQSum's messages with their own question and with another one's."""
    rows = list(records(data, "meqsum"))
    found = []
    for row in rows:
        message = f"{row['subject']} {row['message']}".strip()
        if rng.random() < 0.25:
            other = rng.choice(rows)["summary"]
            found.append(Reading(message, ("", row["summary"]), relevance=1.0))
            found.append(Reading(message, ("", other), relevance=0.0))
        if rng.random() < 0.25:
            found.append(Reading(message, level="routine"))
    return found


def _some(examples: Sequence[Example], number: int, rng: random.Random) -> list[Example]:
    return rng.sample(list(examples), min(number, len(examples)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 on success, 1 with a message for what is missing."""
    parser = argparse.ArgumentParser(prog="python -m training.read", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--work", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--out", type=Path, default=OWN, help="folder of the cross-encoder")
    chosen = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    try:
        aside = [own for own in asked.read_asked(chosen.data) if own.held_out]
        messages = [own for own in urgent.messages(chosen.data) if urgent.is_dev(own.question)]
        judged = [own for own in read_judged(chosen.data) if own.held_out]
        probe = probe_of(aside[::5], messages[::2], WINDOW, judged[::5])
        model, tokenizer = start_from(chosen.out)
        first = mixture(chosen.data, FIRST.seed)
        first = random.Random(FIRST.seed).sample(first, min(FIRST_READINGS, len(first)))
        learn(model, tokenizer, first, FIRST, chosen.work, probe, falls=False)
        second = replace(SECOND, save_every=250)
        mixed = mixture(chosen.data, SECOND.seed)
        learn(model, tokenizer, mixed, second, chosen.work, probe, frozen=_STILL)
        mixed = mixture(chosen.data, THIRD.seed, STRETCHES)
        learn(model, tokenizer, mixed, THIRD, chosen.work, probe, falls=False, frozen=1)
        found = searched(chosen.data, LAST.seed)
        learn(model, tokenizer, found, LAST, chosen.work, probe, frozen=1)
        calibrate(model, tokenizer, aside, judged, WINDOW)
        known = [own for own in urgent.messages(chosen.data) if not urgent.is_dev(own.question)]
        real = [
            Reading(own.message, level=own.level)
            for own in read_judged(chosen.data)
            if not (own.held_out or urgent.is_dev(own.message))
        ]
        refit_levels(model, tokenizer, known + real, urgent.fragments(chosen.data), WINDOW)
        ship(model, chosen.out, kinds_of(known))
    except AnamnesisError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
