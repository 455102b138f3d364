"""How often a question gets a warning on what it mentions, and how many of these are right.

    python -m benchmarks.question_warnings [--data DIR] [--show]

The questions are those of MedicationQA, MeQSum, the medical question pairs, ``asked`` and
``asked_starter``; none was looked at when the tables of cautions were written. After a first
reading, rows were added for what was missing in them.
``question_warnings.tsv`` has a judgement of each warning, by a judge with a pharmacist's criteria:
``right``; ``needless``, if the message does not put the two together for one person or ask about
them together; ``wrong``, if the caution is medically incorrect. A warning without a judgement is
counted as such. ``--show`` prints every warning that is not right, with its question.
"""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from anamnesis.memory.profile import latest
from anamnesis.memory.reading import read_profile
from anamnesis.memory.record import now
from benchmarks.command_line import command_line
from nodes.checking.question_warning import mentioned_entries, question_warnings
from training.examples import records

JUDGED = Path(__file__).with_name("question_warnings.tsv")
SETS = {
    "medication_qa": ("question",),
    "meqsum": ("message",),
    "medical_question_pairs": ("question_1", "question_2"),
    "asked": ("question",),
    "asked_starter": ("question",),
}
"""The data sets, and the fields of a row that are questions."""
UNJUDGED = "not judged"


class Given(NamedTuple):
    """A warning on a question of a data set; ``names`` are what it is about."""

    id: str
    question: str
    names: str
    judgement: str


def judgements() -> dict[tuple[str, str, str], str]:
    """The judgements by data set, question and names."""
    with JUDGED.open(encoding="utf-8") as lines:
        rows = csv.DictReader(lines, delimiter="\t")
        return {(row["set"], row["id"], row["names"]): row["judgement"] for row in rows}


def questions(folder: Path, name: str) -> Iterator[tuple[str, str]]:
    """The different questions of a data set with their ids."""
    seen = set()
    for row in records(folder, name):
        for field in SETS[name]:
            if row[field] not in seen:
                seen.add(row[field])
                id_ = row["id"] if len(SETS[name]) == 1 else f"{row['id']} {field}"
                yield id_, row[field]


def given(folder: Path, name: str) -> tuple[int, list[Given]]:
    """The number of questions in a data set, and the warnings on them."""
    judged, found, number = judgements(), [], 0
    for id_, question in questions(folder, name):
        number += 1
        profile = latest(read_profile(question))
        profile += mentioned_entries(question, profile)
        for one in question_warnings(question, profile, now()):
            names = f"{one['entry']} | {one['medicine']}"
            found.append(Given(id_, question, names, judged.get((name, id_, names), UNJUDGED)))
    return number, found


def main() -> None:
    options = command_line(__doc__, "data")
    options.add_argument("--show", action="store_true")
    chosen = options.parse_args()
    every: list[Given] = []
    for name in SETS:
        number, found = given(chosen.data, name)
        every += found
        warned = len({item.id for item in found})
        print(f"{name}: {number} questions, {warned} with a warning; {counts(found)}")
    print(f"all: {counts(every)}")
    for item in every if chosen.show else ():
        if item.judgement != "right":
            print(f"  {item.judgement}: {item.names}: {item.question}")


def counts(found: list[Given]) -> str:
    """How many warnings have each judgement."""
    each = Counter(item.judgement for item in found)
    return f"{len(found)} warnings: " + ", ".join(f"{n} {name}" for name, n in each.most_common())


if __name__ == "__main__":
    main()
