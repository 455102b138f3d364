"""Messages with how urgent they are: what the triage is trained on."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

from corpus.topics import is_held_out_message
from models.reading import URGENCY_KINDS
from training.asked import Reading
from training.examples import records

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
