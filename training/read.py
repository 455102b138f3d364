"""Rebuilds the project's reader: ``python -m training.read --data FOLDER --work FOLDER``.

From the project's cross-encoder, in six stages. Three use a mixture drawn anew for each: the first
trains all blocks at a constant rate, the second freezes the first two and lowers the rate to zero,
the third takes its negatives from a larger pool. The fourth uses retrieved passages, with the
judged passages of real messages; the last two use messages as people type them and questions with a
story, for urgency, with a part of everything else. Then the outputs are calibrated on held-out
data, and the weights are written in 8-bit integers. Seeded, and resumable: run the same command
again after an interruption. With ``--from-shipped`` the last two stages start from the published
reader; with ``--ranked-high`` one further stage does (``training.ranked_high``), and the result is
averaged with the published weights.
"""

import argparse
import logging
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from torch import Tensor

from anamnesis.corpus.starter import read_starter
from anamnesis.corpus.topics import is_held_out
from anamnesis.errors import AnamnesisError
from anamnesis.models.embedding import load_embedder
from anamnesis.models.folders import SHIPPED
from training import medquad, question_passages, relevance, urgent
from training.examples import at_most, records
from training.judged import judged_readings, read_judged
from training.learn import Stage
from training.probe import probe_of
from training.question_passages import Neighbours, Reading, bare_passages, passages_of, readings
from training.ranked_high import ranked_high
from training.reader import Reader, learn, start_from
from training.ship_reader import calibrate, kinds_of, load_shipped, refit_levels, ship
from training.soft_targets import softened

WINDOW = 288
FIRST = Stage("first", rate=8e-5, window=WINDOW, seed=8, warmup=0.02)
SECOND = Stage("second", rate=8e-5, window=WINDOW, seed=9, warmup=0.02, save_every=250)
THIRD = Stage("third", rate=8e-5, window=WINDOW, seed=21, warmup=0.03)
LAST = Stage("last", rate=9e-5, window=WINDOW, seed=31, warmup=0.03)
URGENT = Stage(
    "urgent", rate=6e-5, window=WINDOW, seed=41, warmup=0.05, save_every=100, bfloat16=True
)
AGAIN = replace(URGENT, name="again", rate=8e-5, seed=51)
SELECTED = replace(AGAIN, name="selected", rate=4e-5, seed=61, warmup=0.06, bfloat16=False)
SHARE = 0.5
"""The weight of the result of the last stage in its average with the weights before it."""
SOFT = 0.5
"""The share of the reader's own probabilities in the targets of that stage's earlier examples."""
FIRST_READINGS = 11_000
"""Readings of the first stage."""
STRETCHES = 5_000
"""The number of record parts from which the last two stages draw negatives."""
_STILL = 2
"""The blocks that the second stage and the last two freeze."""
_KEPT = {"asked": 2_200, "judged": 2_000, "graded": 200, "collections": 150, "real": 1_000}
"""The share of the earlier stages' examples that the fifth one repeats."""
_TIMES = 5
"""How often the last stage repeats the short messages: being short, they take little time."""


def mixture(data: Path, seed: int, stretched: int = 0) -> list[Reading]:
    """The examples of a stage, drawn with the seed.

    Three of five questions with their passage, and 1.5 times as many pairs with retrieved passages
    on other topics; passages of MedQuAD, graded answers and abstracts, to keep the cross-encoder's
    knowledge of relevance; messages with their one-line questions; messages with their urgency,
    twice. ``stretched`` is the number of parts of MedQuAD's records among the passages on other
    topics.
    """
    rng = random.Random(seed)
    known = [item for item in question_passages.read_question_passages(data) if not item.held_out]
    topics = [item for item in medquad.medquad(data) if item.focus and not is_held_out(item)]
    pool = [*passages_of(known), *bare_passages(topics, stretched, seed)]
    right, wrong = readings(known, Neighbours(pool, load_embedder()), seed, others=2)
    earlier = [
        *at_most(medquad.passages(topics, 500, seed), 600, rng),
        *at_most(relevance.graded_answers(data, "train_alexa"), 300, rng),
        *at_most(relevance.collections(data, seed), 400, rng),
    ]
    messages = [item for item in urgent.messages(data) if not urgent.is_dev(item.question)]
    plain = [item for item in known if item.style in ("search", "specific")]
    return [
        *rng.sample(right, len(right) * 3 // 5),
        *rng.sample(wrong, len(right) * 9 // 10),
        *(Reading(item.first, ("", item.second), relevance=item.relevance) for item in earlier),
        *summarised(data, rng),
        *messages * 2,
        *(Reading(item.question, level="routine") for item in rng.sample(plain, 200)),
    ]


def searched(data: Path, seed: int) -> list[Reading]:
    """The examples of the fourth stage: as ``mixture``, and with retrieved passages.

    All questions with their passage, half as many pairs with parts of the nearest records on other
    topics; the judged passages of real messages, those that help with the message and with its
    question in one line, two in three of those on something else.
    """
    rng = random.Random(seed)
    known = [item for item in question_passages.read_question_passages(data) if not item.held_out]
    topics = [item for item in medquad.medquad(data) if item.focus and not is_held_out(item)]
    pool = [*passages_of(known), *bare_passages(topics, STRETCHES, seed)]
    right, wrong = readings(known, Neighbours(pool, load_embedder()), seed, others=1)
    judged = [item for item in read_judged(data) if not item.held_out]
    pairs = judged_readings(judged, seed)
    again = [item for item in judged_readings(judged, seed + 1) if (item.relevance or 0) > 0.5]
    earlier = [
        *at_most(medquad.passages(topics, 300, seed), 300, rng),
        *at_most(relevance.graded_answers(data, "train_alexa"), 300, rng),
        *at_most(relevance.collections(data, seed), 200, rng),
    ]
    messages = [item for item in urgent.messages(data) if not urgent.is_dev(item.question)]
    return [
        *right,
        *rng.sample(wrong, len(wrong) // 2),
        *(item for item in pairs if item.relevance != 0.0 or rng.random() < 2 / 3),
        *again,
        *(Reading(item.first, ("", item.second), relevance=item.relevance) for item in earlier),
        *messages * 2,
    ]


def urgencies(data: Path, seed: int) -> list[Reading]:
    """The examples of the fifth stage.

    Messages with their urgency, as written and again as somebody else might type them; questions
    with a story, those that are not routine twice, because they are few; and enough of the earlier
    stages' examples to keep their effect.
    """
    rng = random.Random(seed)
    known = [item for item in question_passages.read_question_passages(data) if not item.held_out]
    judged = [item for item in read_judged(data) if not item.held_out]
    pairs = judged_readings(judged, seed)
    messages = [item for item in urgent.messages(data) if not urgent.is_dev(item.question)]
    stories = [item for item in urgent.stories(known) if not urgent.is_dev(item.question)]
    again = [item for item in stories if item.level != "routine"]
    real = [item for item in pairs if item.level and not urgent.is_dev(item.question)]
    earlier = [
        *at_most(relevance.graded_answers(data, "train_alexa"), _KEPT["graded"], rng),
        *at_most(relevance.collections(data, seed), _KEPT["collections"], rng),
    ]
    return [
        *messages,
        *(_typed(item, rng) for item in [*messages, *stories, *again]),
        *(_typed(item, rng) for item in rng.sample(real, _KEPT["real"])),
        *map(question_passages.whole_passage_reading, rng.sample(known, _KEPT["asked"])),
        *rng.sample([item for item in pairs if not item.level], _KEPT["judged"]),
        *(Reading(item.first, ("", item.second), relevance=item.relevance) for item in earlier),
    ]


def shortest(data: Path, seed: int) -> list[Reading]:
    """The examples of the last stage: mostly messages of one or two lines.

    The short ones five times, each time as somebody else might type them; half of the others;
    search words, which are routine; the stories and real messages that are not routine, twice, and
    as many that are; and pairs, to keep the rest.
    """
    rng = random.Random(seed)
    known = [item for item in question_passages.read_question_passages(data) if not item.held_out]
    pairs = judged_readings([item for item in read_judged(data) if not item.held_out], seed)
    found = {
        name: [each for each in item if not urgent.is_dev(each.question)]
        for name, item in urgent.sets(data).items()
    }
    stories = [*urgent.stories(known), *(item for item in pairs if item.level)]
    stories = [item for item in stories if not urgent.is_dev(item.question)]
    few = [item for item in stories if item.level != "routine"] * 2
    calm = rng.sample([item for item in stories if item.level == "routine"], len(few))
    records = {item.id for item in read_starter()}
    starter = [item for item in known if item.passage in records]
    words = [item for item in known if item.style == "search" and item.passage not in records]
    others = [*found["given"], *found["own"]]
    messages = [
        *found["short"] * _TIMES, *rng.sample(others, len(others) // 2), *few, *calm
    ]  # fmt: skip
    return [
        *(_typed(item, rng) for item in messages),
        *(Reading(item.question, level="routine") for item in rng.sample(words, 600)),
        *map(
            question_passages.whole_passage_reading,
            [*rng.sample(starter, 250), *rng.sample(known, 150)],
        ),
        *rng.sample([item for item in pairs if not item.level], 250),
    ]


def _typed(reading: Reading, rng: random.Random) -> Reading:
    return replace(reading, question=urgent.typed(reading.question, rng))


def summarised(data: Path, rng: random.Random) -> list[Reading]:
    """A quarter of MeQSum's messages, with their own question and with that of another."""
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""
    parser = argparse.ArgumentParser(prog="python -m training.read", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--work", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--out", type=Path, default=SHIPPED, help="folder of the cross-encoder")
    parser.add_argument("--from-shipped", action="store_true", help="the last two stages only")
    parser.add_argument("--ranked-high", action="store_true", help="one further stage only")
    chosen = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    try:
        probe = probe_on(chosen.data)
        shipped = chosen.from_shipped or chosen.ranked_high
        model, tokenizer = (load_shipped if shipped else start_from)(chosen.out)
        if not shipped:
            _learn_to_read(model, tokenizer, chosen.data, chosen.work, probe)
        before = {name: value.clone() for name, value in model.state_dict().items()}
        last = ((URGENT, urgencies), (AGAIN, shortest))
        for stage, drawn in ((SELECTED, ranked_high),) if chosen.ranked_high else last:
            found = drawn(chosen.data, stage.seed)
            soft = partial(softened, model, found, share=SOFT) if chosen.ranked_high else None
            learn(model, tokenizer, found, stage, chosen.work, probe, frozen=_STILL, adjust=soft)
        if chosen.ranked_high:
            model.load_state_dict(averaged(before, model.state_dict(), SHARE))
        finish(model, tokenizer, chosen.data, chosen.out)
    except AnamnesisError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def probe_on(data: Path) -> Callable[[Reader, Any], dict[str, float]]:
    """Measures a reader during a stage, on a part of what is never used for training."""
    aside = [item for item in question_passages.read_question_passages(data) if item.held_out]
    messages = [item for item in urgent.messages(data) if urgent.is_dev(item.question)]
    judged = [item for item in read_judged(data) if item.held_out]
    spoken = [*messages[::4], *urgent.stories(aside)[::2]]
    return probe_of(aside[::5], spoken, WINDOW, judged[::8])


def _learn_to_read(
    model: Reader,
    tokenizer: Any,
    data: Path,
    work: Path,
    probe: Callable[[Reader, Any], dict[str, float]],
) -> None:
    """The first four stages."""
    first = mixture(data, FIRST.seed)
    first = random.Random(FIRST.seed).sample(first, min(FIRST_READINGS, len(first)))
    learn(model, tokenizer, first, FIRST, work, probe, falls=False)
    mixed = mixture(data, SECOND.seed)
    learn(model, tokenizer, mixed, SECOND, work, probe, frozen=_STILL)
    mixed = mixture(data, THIRD.seed, STRETCHES)
    learn(model, tokenizer, mixed, THIRD, work, probe, falls=False, frozen=1)
    learn(model, tokenizer, searched(data, LAST.seed), LAST, work, probe, frozen=1)


def averaged(
    before: Mapping[str, Tensor], after: Mapping[str, Tensor], share: float
) -> dict[str, Tensor]:
    """The weights between two states of a model, with this share of the later one."""
    return {
        name: value + share * (after[name] - value) if value.is_floating_point() else value
        for name, value in before.items()
    }


def finish(
    model: Reader, tokenizer: Any, data: Path, out: Path, kinds: dict[str, Tensor] | None = None
) -> None:
    """Calibrate the outputs, fit those for urgency and, unless given, for kinds, and store all."""
    every = question_passages.read_question_passages(data)
    aside = [item for item in every if item.held_out]
    judged = read_judged(data)
    calibrate(model, tokenizer, aside, [item for item in judged if item.held_out], WINDOW)
    found = urgent.trained(data, random.Random(URGENT.seed))
    refit_levels(model, tokenizer, found, urgent.fragments(data), WINDOW)
    if kinds is None:
        known = [item for item in urgent.messages(data) if not urgent.is_dev(item.question)]
        kinds = kinds_of(known)
    ship(model, out, kinds)


if __name__ == "__main__":
    raise SystemExit(main())
