"""How well questions and pages on a missed or repeated dose are recognised.

    python -m benchmarks.dose_mishap [--index DIR]

The questions of ``dose_mishap_questions.tsv`` are by two writers who had not seen the training
sentences (``training/dose_mishap.tsv``); many of the others resemble such questions on purpose. The
thresholds were chosen with those of the writer ``chosen on``. The pages are those of the starter
corpus, by their headings: printed are the share of those in the file on missed doses, and the
others that are taken for such pages. The threshold for pages was chosen with them.

With ``--index``, of MedQuAD and the starter corpus, each question is also asked through the graph,
with and without the check: printed is how many answers cite such a page.
"""

from collections.abc import Sequence
from pathlib import Path
from unittest import mock

import numpy as np

from anamnesis.address import Location
from anamnesis.corpus.starter import read_starter
from anamnesis.models.dose_mishap import LEAST, about_dose_mishap, is_mishap_page
from benchmarks.command_line import command_line
from benchmarks.own_record import shares, table
from graph import Context, build_graph
from nodes.writing import extract
from training.dose_mishap import SENTENCES

QUESTIONS = Path(__file__).with_name("dose_mishap_questions.tsv")
_FILE = "medicines_missed_doses.jsonl"


def citing(index: Location, questions: Sequence[str]) -> int:
    """How many of the answers to the questions cite a page on a missed or repeated dose."""
    graph, context = build_graph(), Context.model_validate({"index": str(index)})
    answers = (graph.invoke({"question": item}, context=context)["answer"] for item in questions)
    return sum(
        any(is_mishap_page(source["title"]) for source in answer["sources"]) for answer in answers
    )


def main() -> None:
    """Print the shares of questions, and of pages, that are taken for such ones."""
    parser = command_line(__doc__)
    parser.add_argument("--index", type=Path, help="index of MedQuAD and the starter corpus")
    index = parser.parse_args().index
    for writer, found in table(QUESTIONS, SENTENCES).items():
        for line in shares(found, about_dose_mishap, LEAST):
            print(f"{writer}, {line}")
        for such, questions in found.items() if index else ():
            with mock.patch.object(extract, "on_unasked_mishap", return_value=[]):
                before = citing(index, questions)
            name = "such" if such else "others"
            print(
                f"{writer}, {name}: {len(questions)} asked, a page on a mishap is cited in "
                f"{before} answers without the check, in {citing(index, questions)} with it"
            )
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
