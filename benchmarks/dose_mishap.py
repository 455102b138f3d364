"""How well questions and pages on a missed or repeated dose are recognised.

    python -m benchmarks.dose_mishap

The questions of ``dose_mishap_questions.tsv`` were written by somebody who had not seen the
training sentences (``training/dose_mishap.tsv``); many of the others resemble them on purpose. The
pages are those of the starter corpus, by their headings: printed are the share of those in the file
on missed doses, and the others that are taken for such pages.
"""

from pathlib import Path

import numpy as np

from anamnesis.corpus.starter import read_starter
from anamnesis.models.dose_mishap import LEAST, about_dose_mishap, is_mishap_page
from benchmarks.command_line import command_line
from benchmarks.own_record import shares
from training.dose_mishap import SENTENCES

QUESTIONS = Path(__file__).with_name("dose_mishap_questions.tsv")
_FILE = "medicines_missed_doses.jsonl"


def main() -> None:
    """Print the shares of questions, and of pages, that are taken for such ones."""
    command_line(__doc__).parse_args()
    for line in shares(QUESTIONS, SENTENCES, about_dose_mishap, LEAST):
        print(line)
    records = list(read_starter())
    taken = np.array([is_mishap_page(item.question) for item in records])
    expected = np.array([item.origin.endswith(_FILE) for item in records])
    print(f"pages on missed doses: {expected.sum()}, taken {taken[expected].mean():.3f}")
    print(f"other pages: {(~expected).sum()}, taken {taken[~expected].sum()}")
    for item, found in zip(records, taken & ~expected, strict=True):
        if found:
            print(f"  {item.question}")


if __name__ == "__main__":
    main()
