"""Messages with how urgent they are: what the triage is trained on."""

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path

from corpus.topics import is_held_out, is_held_out_message
from models.reading import URGENCY_KINDS
from training.asked import Reading
from training.examples import records
from training.medquad import medquad

OWN = Path(__file__).with_name("urgency.jsonl.gz")
"""Further messages, written for this project."""


# How the data name the kinds; the first that a name begins with or holds counts.
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


def kind_of(name: str) -> str:
    """One of ``URGENCY_KINDS`` for a kind as the data name it."""
    prefix = name.partition("_")[0].replace("selfharm", "self-harm")
    if prefix in URGENCY_KINDS:
        return prefix
    for kind, parts in _NAMED:
        if any(name.startswith(part) or f"_{part}" in name for part in parts):
            return kind
    return "medical"


is_dev = is_held_out_message
"""Whether a message is one of the sixth that is kept for measuring."""


def messages(folder: Path) -> list[Reading]:
    """All messages, each with its level, and the emergencies with their kind."""
    return [
        Reading(
            row["text"],
            level=row["level"],
            kind=kind_of(row["kind"]) if row["level"] == "emergency" else None,
        )
        for row in [*records(folder, "messages_urgency"), *_own()]
    ]


def _own() -> Iterator[dict[str, str]]:
    if OWN.is_file():
        with gzip.open(OWN, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def fragments(folder: Path) -> list[str]:
    """Bare topics and turns of a conversation about them, which are no emergency.

    Messages are whole; what is typed into a search box, or said in answer to an answer, is not.
    """
    rng = random.Random(11)
    topics = sorted({own.focus for own in medquad(folder) if own.focus and not is_held_out(own)})
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
