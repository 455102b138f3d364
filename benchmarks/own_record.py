"""How well questions about the user's own record are recognised.

    python -m benchmarks.own_record

The questions of ``own_record_questions.tsv`` were written by somebody who had not seen the training
sentences (``training/own_record.tsv``); the few that occur in both are left out.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from anamnesis.models.own_record import LEAST, about_own_record
from benchmarks.command_line import command_line
from evaluation.significance import mean_intervals
from training.own_record import SENTENCES, read

QUESTIONS = Path(__file__).with_name("own_record_questions.tsv")


def shares(file: Path, trained: Path, judge: Callable[[str], float], least: float) -> Iterator[str]:
    """The shares of the questions of a file, by label, whose probability reaches ``least``.

    Those that occur in the sentences of training (``trained``) are left out.
    """
    seen = {text.casefold() for text in read(trained)[0]}
    texts, labels = read(file)
    for label, name in ((True, "such"), (False, "others")):
        asked = [
            text
            for text, is_such in zip(texts, labels, strict=True)
            if is_such == label and text.casefold() not in seen
        ]
        taken = np.array([float(judge(text) >= least) for text in asked])
        found = mean_intervals({"taken": taken})["taken"]
        yield f"{name}: {len(asked)}, taken {found.mean:.3f} [{found.low:.3f}, {found.high:.3f}]"


def main() -> None:
    """Print the shares of both kinds that are classified as such a question."""
    command_line(__doc__).parse_args()
    for line in shares(QUESTIONS, SENTENCES, about_own_record, LEAST):
        print(line)


if __name__ == "__main__":
    main()
