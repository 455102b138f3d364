"""How well questions about the user's own record are recognised.

    python -m benchmarks.own_record

The questions of ``own_record_questions.tsv`` were written by somebody who had not seen the training
sentences (``training/own_record.tsv``); the few that occur in both are left out.
"""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from anamnesis.models.own_record import LEAST, about_own_record
from benchmarks.command_line import command_line
from evaluation.significance import mean_intervals
from training.own_record import SENTENCES, read

QUESTIONS = Path(__file__).with_name("own_record_questions.tsv")


def table(file: Path, trained: Path) -> dict[str, dict[bool, list[str]]]:
    """The questions of a file by writer, and by whether they are such questions.

    Those that occur in the sentences of training (``trained``) are left out. A file without a
    column ``writer`` has one writer, ''.
    """
    seen = {text.casefold() for text in read(trained)[0]}
    found: dict[str, dict[bool, list[str]]] = {}
    with file.open(encoding="utf-8", newline="") as stored:
        for row in csv.DictReader(stored, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["text"].casefold() not in seen:
                by_label = found.setdefault(row.get("writer", ""), {True: [], False: []})
                by_label[row["label"] == "1"].append(row["text"])
    return found


def shares(
    found: Mapping[bool, Sequence[str]], judge: Callable[[str], float], least: float
) -> Iterator[str]:
    """The shares of such and of other questions whose probability reaches ``least``."""
    for such, questions in found.items():
        taken = np.array([float(judge(text) >= least) for text in questions])
        mean = mean_intervals({"taken": taken})["taken"]
        yield (
            f"{'such' if such else 'others'}: {len(questions)}, "
            f"taken {mean.mean:.3f} [{mean.low:.3f}, {mean.high:.3f}]"
        )


def main() -> None:
    """Print the shares of both kinds that are classified as such a question."""
    command_line(__doc__).parse_args()
    for found in table(QUESTIONS, SENTENCES).values():
        for line in shares(found, about_own_record, LEAST):
            print(line)


if __name__ == "__main__":
    main()
