"""The last three stages of the reader, on the first pages of a search.

    python -m training.first_pages --data FOLDER --work FOLDER --out FOLDER [--start FOLDER]

They start from the reader in the folder of ``--start`` (by default the published one, which has had
these stages), and write their weights to the folder of ``--out``; on two cores that multiply in
bfloat16 they last an hour and a half. The reader learns from

- the first eight pages that the search finds for questions as people type them, each judged, with
  the headings that it reads in the graph: which of several pages on a subject answers;
- questions with an aside ("we fly to Spain on Friday"), with the outputs that the reader has at the
  start of the stage for the same question without it as targets: what it should ignore;
- a part of the examples of an earlier stage (``training.ranked_high``).

The first stage has 1,400 of these questions; the second one has the other 3,360, some near misses
(``training.question_passages``), and a part of what the first had. After both, near misses are
distinguished less well; the third one repeats some, and learns from the pages whether they say yes,
no, or that it depends, or whether a question asks for something else.

Resumable: run the same command again after an interruption.
"""

import argparse
import logging
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from anamnesis.corpus.topics import is_held_out_topic
from anamnesis.errors import AnamnesisError, CorpusError
from anamnesis.models.folders import SHIPPED
from training.examples import at_most, json_lines
from training.judged import FIRST_PAGES, WORTH, Judged, cut, read_judged, texts_of
from training.question_passages import (
    Reading,
    read_question_passages,
    whole_passage_reading,
)
from training.ranked_high import ranked_high
from training.read import SELECTED, SOFT, WINDOW, finish, probe_on
from training.reader import Encoded, Reader, encode, learn
from training.ship_reader import load_shipped, published_kinds
from training.soft_targets import softened

ASIDES = Path(__file__).with_name("asides.jsonl.gz")
"""Questions with and without an aside, each with pages of the search; written for this project."""

FIRST = replace(SELECTED, name="first_pages", rate=5e-5, tokens=2500, seed=77, bfloat16=True)
FURTHER = replace(FIRST, name="further_pages", rate=4e-5, seed=78, save_every=500)
LAST = replace(FURTHER, name="verdicts", rate=3e-5, seed=79)
_OF_FIRST = 1_400
"""The questions of the first stage; the further ones are those of the second."""
_STILL = 3
"""The blocks that are not trained: other layers read the output of the middle block."""
_EARLIER = 5_000
_AGAIN = {"asides": 1_500, "first pages": 2_500, "ranked high": 2_500}
"""The examples of the first stage that the second one repeats."""
_NEAR_MISSES, _VERDICTS, _PAGES_AGAIN, _ASIDES_AGAIN = 1_500, 4_000, 2_000, 500
"""Of the third stage: near misses (the second has as many), as many questions that are answered,
pages with ``POLAR_OUTPUTS`` (three quarters are ``open``), other pages and asides again."""
_KEPT_IRRELEVANT = 0.7
"""The share of the pages of grade 0 that is kept: most pages have it."""


def first_pages(questions: Sequence[Judged], seed: int, verdicts: bool = False) -> list[Reading]:
    """Each question with its judged pages, and with what they say to a yes/no question.

    Which sentences of a page of grade 1 are worth quoting is not known.
    """
    rng = random.Random(seed)
    found = []
    for item in questions:
        for page in item.passages:
            thinned = not page.grade and rng.random() >= _KEPT_IRRELEVANT
            if item.held_out or is_held_out_topic(page.topic) or thinned:
                continue
            answers = page.answers if page.answers or not page.grade else None
            polar = page.polar if verdicts else None
            found.append(Reading(item.message, page.pieces, WORTH[page.grade], answers, polar))
    return found


def asides(data: Path) -> tuple[list[Reading], list[Reading]]:
    """Questions with an aside and a page, and the same ones without the aside.

    Their targets are the reader's own outputs (``taught``), so that pages on held-out topics can be
    among them. Raises CorpusError, with file and line, for an unknown record.
    """
    texts = texts_of(data)
    noisy, clean = [], []
    for number, row in enumerate(json_lines(ASIDES), start=1):
        for page in row["passages"]:
            if page["record"] not in texts:
                raise CorpusError(f"{ASIDES}, line {number}: there is no record {page['record']!r}")
            pieces = cut(texts[page["record"]], page["spans"])
            plain, other = (page["heading"], *pieces), (page["heading_of_message"], *pieces)
            clean.append(Reading(row["question"], plain, 0.5, frozenset(), earlier=True))
            noisy.append(Reading(row["message"], other, 0.5, frozenset()))
    return noisy, clean


def taught(
    model: Reader,
    tokenizer: Any,
    clean: Sequence[Reading],
    readings: Sequence[Reading],
    encoded: Sequence[Encoded],
) -> list[Encoded]:
    """The targets of the stage.

    The first readings get the model's probabilities for ``clean``, one for each; the earlier
    examples become softer (``training.soft_targets.softened``).
    """
    made = softened(model, readings, encoded, share=SOFT)
    known = softened(model, clean, encode(tokenizer, clean, WINDOW), share=1.0)
    for place, (item, of_clean) in enumerate(zip(encoded[: len(clean)], known, strict=True)):
        # A longer question leaves room for fewer sentences, and a shorter one for more.
        number = len(item.targets)
        targets = [*of_clean.targets, *[float("nan")] * number][:number]
        made[place] = item._replace(relevance=of_clean.relevance, targets=targets)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""
    parser = argparse.ArgumentParser(prog="python -m training.first_pages", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--work", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--out", type=Path, required=True, help="folder for the new weights")
    parser.add_argument("--start", type=Path, default=SHIPPED, help="folder of a reader")
    chosen = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    try:
        model, tokenizer = load_shipped(chosen.start)
        probe = probe_on(chosen.data)
        for stage, (noisy, clean, others) in zip(
            (FIRST, FURTHER, LAST), examples(chosen.data), strict=True
        ):
            found = [*noisy, *others]
            adjust = partial(taught, model, tokenizer, clean, found)
            learn(model, tokenizer, found, stage, chosen.work, probe, frozen=_STILL, adjust=adjust)
        chosen.out.mkdir(parents=True, exist_ok=True)
        finish(model, tokenizer, chosen.data, chosen.out, published_kinds(chosen.start))
    except AnamnesisError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def examples(data: Path) -> Iterator[tuple[list[Reading], list[Reading], list[Reading]]]:
    """For each stage, questions with an aside, the same ones without it, and all other examples."""
    noisy, clean = asides(data)
    questions = read_judged(data, FIRST_PAGES)
    first = first_pages(questions[:_OF_FIRST], FIRST.seed)
    further = first_pages(questions[_OF_FIRST:], FURTHER.seed)
    rng = random.Random(FIRST.seed)
    old = at_most(ranked_high(data, FIRST.seed), _EARLIER, rng)
    yield noisy, clean, [*first, *map(_earlier, old)]
    again = rng.sample(range(len(noisy)), _AGAIN["asides"])
    repeated = [
        *at_most(first, _AGAIN["first pages"], rng),
        *at_most(old, _AGAIN["ranked high"], rng),
    ]
    yield (
        [noisy[place] for place in again],
        [clean[place] for place in again],
        [*further, *near_misses(data, rng), *map(_earlier, repeated)],
    )
    every = first_pages(questions, LAST.seed, verdicts=True)
    repeated = [
        *at_most([item for item in every if item.polar], _VERDICTS, rng),
        *at_most([item for item in every if not item.polar], _PAGES_AGAIN, rng),
    ]
    yield (
        [noisy[place] for place in again[:_ASIDES_AGAIN]],
        [clean[place] for place in again[:_ASIDES_AGAIN]],
        [*near_misses(data, rng), *map(_earlier, repeated)],
    )


def near_misses(data: Path, rng: random.Random) -> list[Reading]:
    """Near misses, and as many questions that their passage answers."""
    asked = [item for item in read_question_passages(data) if not item.held_out]
    near = at_most([item for item in asked if not item.answers], _NEAR_MISSES, rng)
    right = at_most([item for item in asked if item.answers], _NEAR_MISSES, rng)
    return [whole_passage_reading(item) for item in [*near, *right]]


def _earlier(reading: Reading) -> Reading:
    return replace(reading, earlier=bool(reading.pieces))


if __name__ == "__main__":
    raise SystemExit(main())
