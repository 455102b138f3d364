"""What the triage errs on: counts by the kind of message that the data name.

    python -m benchmarks.triage_errors --data DIR [--cases]

The messages are those of ``anamnesis evaluate urgency`` that are held out: the sixth of
``messages_urgency``, ``training/urgency.jsonl.gz`` and ``training/short_messages.jsonl.gz``, and
all of ``benchmarks/short_messages.jsonl``, by another writer. Printed for both: routine messages
taken for an emergency by ``CLASSES`` (and how many of them only for a possible one, so that they
are answered too), missed emergencies by their kind, and urgent messages taken for routine.
``--cases`` also prints each of these messages.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from anamnesis.models.reranker import load_triage
from benchmarks.command_line import command_line
from benchmarks.triage_time import MESSAGES
from evaluation.urgency import Message, read_messages
from nodes.question.triage import triage
from nodes.state import Urgency
from training.urgent import OWN, SHORT, kind_of

CLASSES: Mapping[str, tuple[str, ...]] = {
    "idioms": ("idiom",),
    "animals": ("pet",),
    "other people's histories": ("relative", "family"),
    "the past": ("past", "pasthistory", "resolved", "history", "quit", "old"),
    "films, news": ("film", "news", "novel"),
    "study, work": ("study", "exam", "homework", "training", "job", "knowledge", "definition"),
    "grief": ("grief",),
    "children": ("child", "infant"),
    "pregnancy": ("pregnancy", "postpartum"),
    "medicines": ("drug", "medication", "medicines"),
    "long illness": ("chronic", "followup", "stable", "rehab"),
    "prevention, first aid": ("prevention", "firstaid"),
    "small complaints": ("minor", "everyday", "ordinary", "mild"),
    "questions for information": ("plain", "search", "info", "question", "letter", "consumer"),
}
"""Kinds of routine messages, and parts of the names that the data give them; the first counts."""
OTHER = "other"


class Taken(NamedTuple):
    """A message and what the triage takes it for."""

    message: Message
    urgency: Urgency

    @property
    def is_wrong(self) -> bool:
        """Whether it is taken for an emergency though routine, or for less than it is."""
        found, level = self.urgency["level"], self.message.level
        return found != level if level == "emergency" else (level, found) in _WRONG


_WRONG = (("routine", "emergency"), ("urgent", "routine"))


def class_of(message: Message) -> str:
    """The class of a message: of ``CLASSES``, or the kind of emergency; ``OTHER`` if urgent."""
    if message.level == "emergency":
        return kind_of(message.kind)
    if message.level == "urgent":
        return OTHER
    parts = message.kind.split("_")
    return next(
        (name for name, parts_of_class in CLASSES.items() if set(parts_of_class) & set(parts)),
        OTHER,
    )


def table(found: Sequence[Taken]) -> Iterator[str]:
    """A line for each class of each level."""
    names = {"routine": [*CLASSES, OTHER], "urgent": [OTHER]}
    emergencies = {class_of(item.message) for item in found if item.message.level == "emergency"}
    said = {
        "routine": "taken for an emergency",
        "emergency": "missed",
        "urgent": "taken for routine",
    }
    for level, wrong in said.items():
        yield f"  {level}"
        for name in names.get(level, sorted(emergencies)):
            of_class = [
                item
                for item in found
                if item.message.level == level and class_of(item.message) == name
            ]
            bad = [item for item in of_class if item.is_wrong]
            possible = sum(bool(item.urgency.get("possible")) for item in bad)
            urgent = sum(item.urgency["level"] == "urgent" for item in bad)
            more = {
                "routine": f", {possible} as a possible one",
                "emergency": f", {urgent} taken for urgent",
            }
            yield f"    {name}: {len(bad)} of {len(of_class)} {wrong}{more.get(level, '')}"


def main() -> None:
    parser = command_line(__doc__, "data")
    parser.add_argument("--cases", action="store_true", help="print each message")
    chosen = parser.parse_args()
    files: list[Path] = [chosen.data / "messages_urgency.jsonl.gz", OWN, SHORT]
    held_out = [item for file in files for item in read_messages(file, held_out=True)]
    reads = load_triage("own")
    for name, messages in (("held out", held_out), ("another writer", read_messages(MESSAGES))):
        found = [Taken(item, triage(item.text, reads)) for item in messages]
        print(f"{name}: {len(found)} messages")
        for line in table(found):
            print(line)
        for item in found if chosen.cases else ():
            if item.is_wrong:
                said = f"{item.message.level} ({item.message.kind}), {item.urgency['why']}"
                print(f"    {said}: {' '.join(item.message.text.split())}")


if __name__ == "__main__":
    main()
