"""Detected emergencies and false alarms at each threshold of the triage, on held-out messages.

    python -m benchmarks.triage --data DIR [--missed]

The sets: ``given`` (``messages_urgency``), ``own`` (``training/urgency.jsonl.gz``), ``short``
(``training/short_messages.jsonl.gz``), ``amounts`` (``training/amounts.tsv``), the held-out sixth
of each, and of ``asked_as`` (``training/asked_levels.tsv``) and ``typed``
(``training/typed_levels.tsv``); ``later``, the questions in other words of 355 further records of
the starter corpus (``benchmarks/asked_levels.tsv``), judged by two readers, none used for training;
``stories``, the questions with a story on held-out topics, with the levels of
``training/story_levels.jsonl``; ``real``, the held-out judged messages of MeQSum and others.
Each message goes through the whole triage (``nodes.question.triage``). Printed for each
threshold (``EMERGENCY``) and set: the share of emergencies that is detected and the share of
routine messages classified as emergencies; for each threshold for naming a crisis line
(``CRISIS_KIND``), how many emergencies of self-harm and of other kinds reach it; and, for each
threshold on the score of self-harm (``CRISIS_LINE``), for how many messages a crisis line is named:
those of self-harm, the same inserted into a long real letter, others that are not emergencies, real
ones, and messages on amounts of medicines by another writer. Then, for each threshold for the kind
(``CERTAIN_SELF_HARM``), how many emergencies below ``CERTAIN`` that are most probably of self-harm
reach it, also of the messages in ``benchmarks``. Last, how many sentences have too few words of
self-harm to be read alone, and how many of them would reach ``CRISIS_LINE`` all the same. For each
threshold (``EMERGENCY``), also how many of the questions of ``benchmarks.typed_answers``, most of
which are in the proportions of a week, are taken for a possible or certain emergency.
``--missed`` prints the errors at the default threshold.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from random import Random

from anamnesis.errors import AnamnesisError
from anamnesis.language.text import sentence_texts
from anamnesis.models.harm import WORDS, score, words_log_odds
from anamnesis.models.reader import OwnReader
from anamnesis.models.reading import Triage
from anamnesis.models.reranker import load_reranker, load_triage
from benchmarks.command_line import command_line
from benchmarks.typed_answers import SETS, rows
from evaluation.urgency import read_messages
from nodes.question.triage import CERTAIN, CRISIS_LINE, EMERGENCY, triage
from nodes.question.urgency import red_flag
from training import urgent
from training.judged import read_judged
from training.question_passages import Reading, read_question_passages

BOUNDS = (0.05, 0.1, 0.15, 0.17, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6)
CRISES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
HARMS = (0.06, 0.08, 0.1, 0.12, 0.15, 0.18, 0.2, 0.25, 0.3, 1.1)
KINDS = (0.12, 0.14, 0.16, 0.2, 0.25, 0.3)
OTHERS = ("short_messages.jsonl", "further_messages.jsonl")
AMOUNTS = "amount_messages.jsonl"
LATER = Path(__file__).with_name("asked_levels.tsv")
LONG, BRIEF = 400, 160
"""Minimum length of a letter, and maximum length of an inserted message, in characters."""


def kept_aside(folder: Path) -> dict[str, list[Reading]]:
    """The sets by name: messages with their level, most of them with a kind."""
    found = {
        name: [each for each in item if urgent.is_dev(each.question)]
        for name, item in urgent.sets(folder).items()
    }
    found["later"] = [urgent.reading_of(row) for row in urgent.asked_as(LATER)]
    found["stories"] = urgent.stories(
        [item for item in read_question_passages(folder) if item.held_out]
    )
    found["real"] = [
        Reading(item.message, level=item.level) for item in read_judged(folder) if item.held_out
    ]
    return found


def table(found: Mapping[str, Sequence[Reading]]) -> Iterator[str]:
    """A line for each threshold."""
    reads = load_triage("own")
    assert reads is not None
    reads = cache(reads)
    for least in BOUNDS:
        shares = []
        for name, item in found.items():
            taken = [(each.level, triage(each.question, reads, least)["level"]) for each in item]
            shares.append(f"{name} {_share(taken, 'emergency')} / {_share(taken, 'routine')}")
        yield f"{least:.2f}: " + ", ".join(shares)
    emergencies = [each for item in found.values() for each in item if each.kind]
    read = [(each.kind == "self-harm", reads(each.question).kinds) for each in emergencies]
    for least in CRISES:
        same, other = (
            [kinds.get("self-harm", 0.0) >= least for harm, kinds in read if harm == wanted]
            for wanted in (True, False)
        )
        yield (
            f"crisis line at {least:.2f}: {sum(same)} of {len(same)} of self-harm, "
            f"{sum(other)} of {len(other)} others"
        )


def crises(found: Mapping[str, Sequence[Reading]]) -> Iterator[str]:
    """A line for each threshold on the score of self-harm; the last one is never reached."""
    reads = load_triage("own")
    assert reads is not None
    reads = cache(reads)
    written = [each for name, item in found.items() if name != "real" for each in item]
    harm = [each.question for each in written if each.kind == "self-harm"]
    calm = [each.question for each in written if each.level != "emergency"]
    real = [each.question for each in found["real"]]
    texts = {"self-harm": harm, "in letters": letters(harm, real), "calm": calm, "real": real}
    amounts = read_messages(Path(__file__).with_name(AMOUNTS))
    for name, wanted in (("amounts with self-harm", True), ("amounts without", False)):
        texts[name] = [each.text for each in amounts if (each.kind == "self-harm") == wanted]
    for least in HARMS:
        shares = []
        for name, item in texts.items():
            named = [triage(each, reads, crisis_line=least)["crisis"] for each in item]
            shares.append(f"{name} {sum(named) / len(named):.3f} of {len(named)}")
        yield f"crisis line from {least:.2f}: " + ", ".join(shares)
    yield from kinds([each for item in found.values() for each in item] + others(), reads)
    yield left_out([each.question for item in found.values() for each in item])


def in_weeks() -> Iterator[str]:
    """A line for each threshold, on the questions whose answers were judged."""
    reads = load_triage("own")
    assert reads is not None
    reads = cache(reads)
    asked = [row["question"] for name in SETS for row in rows(f"{name}.tsv")]
    for least in BOUNDS:
        taken = sum(triage(item, reads, least)["level"] == "emergency" for item in asked)
        yield f"{least:.2f}: {taken} of {len(asked)} questions of weeks"


def others() -> list[Reading]:
    """The messages of ``benchmarks``, which were not used for training."""
    rows = [item for file in OTHERS for item in read_messages(Path(__file__).with_name(file))]
    return [
        Reading(
            item.text,
            level=item.level,
            kind=urgent.kind_of(item.kind) if item.level == "emergency" else None,
        )
        for item in rows
    ]


def kinds(messages: Sequence[Reading], reads: Callable[[str], Triage]) -> Iterator[str]:
    """A line for each threshold of the kind self-harm, for emergencies that are not certain."""
    unsure = []
    for item in messages:
        read = reads(item.question)
        likely = max(read.kinds, key=lambda kind: read.kinds[kind], default="")
        if (
            EMERGENCY <= read.levels["emergency"] < CERTAIN
            and likely == "self-harm"
            and not red_flag(item.question)
        ):
            unsure.append((item.kind == "self-harm", read.harm))
    for least in KINDS:
        of_kind, other = ([harm >= least for is_harm, harm in unsure if is_harm == wanted]
                      for wanted in (True, False))  # fmt: skip
        yield (
            f"kind self-harm from {least:.2f}: {sum(of_kind)} of {len(of_kind)} of self-harm, "
            f"{sum(other)} of {len(other)} others"
        )


def left_out(messages: Sequence[str]) -> str:
    """How many sentences are left out by their words, and how many reach ``CRISIS_LINE``."""
    texts = sorted({text for message in messages for text in sentence_texts(message)})
    reader = load_reranker("own")
    assert isinstance(reader, OwnReader)
    odds = zip(texts, words_log_odds(texts), strict=True)
    few = [score(reader.harm(text), words) for text, words in odds if words < WORDS]
    reach = sum(item >= CRISIS_LINE for item in few)
    return (
        f"sentences left out: {len(few)} of {len(texts)}, {reach} of them at {CRISIS_LINE} or more"
    )


def letters(messages: Sequence[str], real: Sequence[str]) -> list[str]:
    """Each short message inserted between two sentences of an unrelated long one.

    The result is deterministic.
    """
    rng = Random(1)
    long = [item for item in real if len(item) > LONG]
    found = []
    for message in messages:
        if len(message) < BRIEF:
            around = sentence_texts(rng.choice(long))
            place = rng.randrange(1, len(around) + 1)
            found.append(" ".join([*around[:place], message, *around[place:]]))
    return found


def _share(taken: Sequence[tuple[str | None, str]], level: str) -> str:
    flagged = [level_taken == "emergency" for was, level_taken in taken if was == level]
    return f"{sum(flagged) / len(flagged):.3f} of {len(flagged)}" if flagged else "-"


def missed(found: Mapping[str, Sequence[Reading]]) -> Iterator[str]:
    """The missed emergencies and the false alarms, with their probability."""
    reads = load_triage("own")
    for name, item in found.items():
        for each in item:
            taken = triage(each.question, reads)
            if (each.level == "emergency") == (taken["level"] == "emergency"):
                continue
            if each.level != "urgent":
                yield f"{name} {each.level} taken for {taken['level']} ({taken['why']}): " + (
                    each.question
                )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""
    parser = command_line(__doc__, "data")
    parser.add_argument("--missed", action="store_true", help=f"what is wrong at {EMERGENCY}")
    chosen = parser.parse_args(arguments)
    try:
        found = kept_aside(chosen.data)
        for line in (
            missed(found) if chosen.missed else chain(table(found), crises(found), in_weeks())
        ):
            print(line)
    except AnamnesisError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
