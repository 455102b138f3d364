"""How well questions about the user's own record are recognised.

    python -m benchmarks.own_record

The questions of ``own_record_questions.tsv`` were written by somebody who had not seen the training
sentences (``training/own_record.tsv``); the few that occur in both are left out.
"""

import csv
from pathlib import Path

import numpy as np

from anamnesis.models.own_record import LEAST, about_own_record
from benchmarks.command_line import command_line
from evaluation.significance import mean_intervals
from training.own_record import SENTENCES, read

QUESTIONS = Path(__file__).with_name("own_record_questions.tsv")


def main() -> None:
    """Print the shares of both kinds that are classified as such a question."""
    command_line(__doc__).parse_args()
    trained = {text.casefold() for text in read(SENTENCES)[0]}
    with QUESTIONS.open(encoding="utf-8", newline="") as stored:
        rows = list(csv.DictReader(stored, delimiter="\t", quoting=csv.QUOTE_NONE))
    for label, name in (("1", "about the own record"), ("0", "others")):
        texts = [item["text"] for item in rows if item["label"] == label]
        texts = [item for item in texts if item.casefold() not in trained]
        taken = np.array([float(about_own_record(item) >= LEAST) for item in texts])
        found = mean_intervals({"taken": taken})["taken"]
        print(f"{name}: {len(texts)}, taken {found.mean:.3f} [{found.low:.3f}, {found.high:.3f}]")


if __name__ == "__main__":
    main()
