"""Messages with their urgency, the training data of the triage."""

import csv
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from anamnesis.corpus.passage import ASKED_AS
from anamnesis.corpus.starter import read_starter
from anamnesis.corpus.topics import is_held_out, is_held_out_message
from anamnesis.errors import CorpusError
from anamnesis.language.text import sentence_texts
from anamnesis.models.reading import URGENCY_KINDS, URGENCY_LEVELS
from training.examples import json_lines, records
from training.judged import FIRST_PAGES, read_judged
from training.medquad import medquad
from training.question_passages import QuestionPassage, Reading, read_question_passages

OWN = Path(__file__).with_name("urgency.jsonl.gz")
"""Further messages, written for this project."""
SHORT = Path(__file__).with_name("short_messages.jsonl.gz")
"""Messages of one or two lines as people type them, half of them everyday complaints, and a few
dozen long ones; written for this project."""
AMOUNTS = Path(__file__).with_name("amounts.tsv")
"""Messages about amounts of medicines (the most per day, lethal ones, too much taken, doses missed
and doubled), about self-harm, and with words that sound like it; written for this project."""
EVERYDAY = Path(__file__).with_name("everyday.tsv")
"""Everyday questions of general practice in groups that differ in what decides about the urgency,
with true self-harm and words that sound like it; written for this project."""
ASKED_LEVELS = Path(__file__).with_name("asked_levels.tsv")
"""The urgency of the questions in other words (``asked_as``) of records of the starter corpus: one
of ``_LETTERS`` for each. One reader judged all, a second one a sample without seeing the levels."""
TYPED_LEVELS = Path(__file__).with_name("typed_levels.tsv")
"""The urgency of the questions of ``training.judged.FIRST_PAGES``, by their ids, as ``_LETTERS``:
in the proportions of a week, most of them routine. A repeated question has no row. Each was judged
by one of four readers; another one judged 600 without seeing the levels, and agreed on 591, on all
emergencies among them. Three that are hard to judge are marked with "-"."""
STORIES = Path(__file__).with_name("story_levels.jsonl")
"""The urgency of the questions with a story in ``asked``: one row per passage, for the first
question with a story about it."""


# The data's names of the kinds; the first that a name begins with or contains counts.
_NAMED = (
    ("self-harm", ("selfharm", "suicid", "self_harm", "homicidal", "smothering")),
    ("poisoning", ("poison", "overdose", "opioid_over", "chemical", "button_battery", "vape_nic",
                   "iron_overdose", "insulin_overdose", "antidepressant_over", "toddler_meds",
                   "alcohol_poison", "pesticide", "carbon_monoxide", "hair_dye", "snake", "adder",
                   "spider", "spiked", "stimulant", "serotonin")),
    ("pregnancy", ("pregnan", "eclampsia", "preeclampsia", "pre_eclampsia", "ectopic", "pph",
                   "abruption", "cord_", "no_fetal", "no_movements", "postpartum",
                   "sepsis_postpartum")),
    ("child", ("child", "newborn", "infant", "bilious", "intussus", "croup", "epiglott",
               "breathing_infant")),
)  # fmt: skip


# The level and kind of each letter in both files. Questions with "-" are left out.
_LETTERS = {
    "r": ("routine", ""), "u": ("urgent", ""), "h": ("urgent", "self-harm"),
    "m": ("emergency", "medical"), "s": ("emergency", "self-harm"), "p": ("emergency", "poisoning"),
    "g": ("emergency", "pregnancy"), "c": ("emergency", "child"),
}  # fmt: skip


def kind_of(name: str) -> str:
    """One of ``URGENCY_KINDS`` for a kind named in the data."""
    prefix = name.partition("_")[0].replace("selfharm", "self-harm")
    if prefix in URGENCY_KINDS:
        return prefix
    for kind, parts in _NAMED:
        if any(name.startswith(part) or f"_{part}" in name for part in parts):
            return kind
    return "medical"


is_dev = is_held_out_message
"""Whether a message belongs to the sixth that is held out for measuring."""


def sets(folder: Path) -> dict[str, list[Reading]]:
    """Messages by set, each with its level; emergencies and self-harm have their kind."""
    rows = {
        "given": records(folder, "messages_urgency"),
        "own": _written(OWN),
        "short": _written(SHORT),
        "amounts": _table(AMOUNTS),
        "everyday": _table(EVERYDAY),
        "asked_as": asked_as(),
        "typed": typed_questions(),
    }
    return {name: [reading_of(row) for row in found] for name, found in rows.items()}


def rows(folder: Path) -> list[dict[str, str]]:
    """The rows of all ``sets``, each with ``text``, ``level`` and ``kind``."""
    written = [*_written(OWN), *_written(SHORT), *_table(AMOUNTS), *_table(EVERYDAY), *asked_as()]
    return [*records(folder, "messages_urgency"), *written, *typed_questions()]


def asked_as(file: Path = ASKED_LEVELS) -> list[dict[str, str]]:
    """The questions in other words with their urgency, in the form of ``rows``.

    Raises CorpusError, with file and line, for an unknown record, or if its letters are wrong.
    """
    questions = {
        record.id: cast(Sequence[str], record.metadata[ASKED_AS]) for record in read_starter()
    }
    found: list[dict[str, str]] = []
    for number, row in enumerate(_table(file), start=2):
        texts, letters = questions.get(row["record"], ()), row["levels"]
        if len(texts) != len(letters) or not set(letters) <= {*_LETTERS, "-"}:
            raise CorpusError(
                f"{file}, line {number}: {row['record']} needs one of {', '.join(_LETTERS)} or - "
                "for each of its questions in other words"
            )
        found += _judged(zip(texts, letters, strict=True))
    return found


def typed_questions(file: Path = TYPED_LEVELS) -> list[dict[str, str]]:
    """The questions as people type them with their urgency, in the form of ``rows``.

    Raises CorpusError, with file and line, for an unknown question or letter.
    """
    questions = {row["id"]: row["message"] for row in json_lines(FIRST_PAGES)}
    found: list[dict[str, str]] = []
    for number, row in enumerate(_table(file), start=2):
        if row["id"] not in questions or row["level"] not in {*_LETTERS, "-"}:
            raise CorpusError(
                f"{file}, line {number}: needs the id of a question in {FIRST_PAGES.name} "
                f"and one of {', '.join(_LETTERS)} or -"
            )
        found += _judged([(questions[row["id"]], row["level"])])
    return found


def _judged(letters: Iterable[tuple[str, str]]) -> Iterator[dict[str, str]]:
    """The texts whose letter is not "-", in the form of ``rows``."""
    for text, letter in letters:
        if letter in _LETTERS:
            level, kind = _LETTERS[letter]
            yield {"text": text, "level": level, "kind": kind}


def messages(folder: Path) -> list[Reading]:
    """The messages of all ``sets``."""
    return [item for found in sets(folder).values() for item in found]


def reading_of(row: Mapping[str, str]) -> Reading:
    """A row of ``rows``; emergencies and self-harm have their kind."""
    level, kind = row["level"], kind_of(row["kind"])
    known = level == "emergency" or (level == "urgent" and kind == "self-harm")
    return Reading(row["text"], level=level, kind=kind if known else None)


def _written(file: Path) -> Iterator[dict[str, str]]:
    return json_lines(file) if file.is_file() else iter(())


def _table(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def stories(asked: Sequence[QuestionPassage]) -> list[Reading]:
    """The questions with a story, each with its level; those that are hard to judge are left out.

    Raises CorpusError, with file and line, for a row without a valid level.
    """
    levels: dict[str, str] = {}
    for number, line in enumerate(STORIES.read_text(encoding="utf-8").splitlines(), start=1):
        row = json.loads(line)
        if row.get("level") not in URGENCY_LEVELS:
            raise CorpusError(f"{STORIES}, line {number}: no level of {', '.join(URGENCY_LEVELS)}")
        levels[row["passage"]] = row["level"]
    # If a passage has several such questions, the first one was judged.
    return [
        Reading(item.question, level=levels.pop(item.passage))
        for item in asked
        if item.style == "message" and item.passage in levels
    ]


def typed(text: str, rng: random.Random) -> str:
    """The text as somebody else might type it: other punctuation, fewer apostrophes, a typo.

    Case does not matter to the tokenizer. Three in four messages that end in a punctuation mark
    lose it; one in four of the others gets a full stop.
    """
    text = text.strip()
    if text[-1] in ".?!":
        text = text.rstrip(".?! ") if rng.random() < 0.75 else text
    elif rng.random() < 0.25:
        text += "."
    if rng.random() < 0.5:
        text = text.replace("'", "").replace("\u2019", "")
    if rng.random() < 0.3:
        text = text.replace(",", "").replace(";", "")
    words = text.split(" ")
    place = rng.randrange(len(words))
    if rng.random() < 0.2 and len(words[place]) > 4:
        word, at = words[place], rng.randrange(1, len(words[place]) - 2)
        words[place] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return " ".join(words)


def trained(folder: Path, rng: random.Random) -> list[Reading]:
    """The messages that the last layers of the triage are fitted on, none of them held out.

    Each message of all ``sets`` as written and as somebody else might type it; stories and real
    messages, those that are not routine twice, because they are few.
    """
    every = [item for item in read_question_passages(folder) if not item.held_out]
    judged = [item for item in read_judged(folder) if not item.held_out]
    real = [Reading(item.message, level=item.level) for item in judged if item.level]
    known, others = (
        [item for item in part if not is_dev(item.question)]
        for part in (messages(folder), stories(every) + real)
    )
    again = [replace(item, question=typed(item.question, rng)) for item in known]
    return [*known, *again, *others, *(item for item in others if item.level != "routine")]


def real_sentences(folder: Path, number: int) -> list[str]:
    """Sentences of real messages that are routine and not held out, drawn at random."""
    every = (item for item in read_judged(folder) if not item.held_out)
    calm = (item.message for item in every if item.level == "routine")
    found = sorted({text for message in calm for text in sentence_texts(message)})
    return random.Random(73).sample(found, min(number, len(found)))


def fragments(folder: Path) -> list[str]:
    """Bare topics and turns of a conversation about them, which are not emergencies.

    Messages are whole texts; search words and replies in a conversation are not.
    """
    rng = random.Random(11)
    topics = sorted(
        {item.focus for item in medquad(folder) if item.focus and not is_held_out(item)}
    )
    found = []
    for topic in rng.sample(topics, 400):
        name = topic if rng.random() < 0.5 else topic.lower()
        found.append(rng.choice(_TURNS).format(topic=name, age=rng.randint(2, 90)))
    return found


_TURNS = (
    "{topic}", "{topic}", "{topic}", "No, I meant {topic}", "what about {topic}", "no, {topic}",
    "and for my wife", "my mum has {topic}", "he is {age}", "she is {age} years old", "no", "yes",
    "I said {topic}", "{topic} in children", "{topic} medicine", "and {topic}?", "for my son",
    "she takes tablets for {topic}", "I am {age}", "ok thanks", "the one for {topic}",
)  # fmt: skip
