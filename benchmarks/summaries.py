"""What the reader loses because a message is long: the message, or its question in one line.

    python -m benchmarks.summaries [--data DIR]

The held-out messages of MeQSum that ``training/judged.jsonl.gz`` judges, each with six or seven
passages, and with the one-line question that a person wrote for the data set. The reader reads each
passage with the message, and with the line. Printed for both, and for the mean of both log-odds:
AUROC of the passages that help (grade 2 or 3), and for how many messages the first passage helps,
of those with one that does.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from anamnesis.models.reading import log_odds
from anamnesis.models.reranker import Reranker, load_reranker
from benchmarks.command_line import command_line
from evaluation.classification import auroc
from evaluation.helpfulness import HELPS
from training.judged import Judged, read_judged


class Read(NamedTuple):
    """The log-odds of a message's passages by what is read with them, and whether each helps."""

    message: list[float]
    line: list[float]
    helps: list[bool]


def read(item: Judged, reader: Reranker) -> Read:
    """The passages of a message, read with the message and with its question in one line."""
    passages = [(each.pieces[0], " ".join(each.pieces[1:])) for each in item.passages]
    by_message, by_line = (
        [log_odds(found.relevance) for found in reader.read(question, passages)]
        for question in (item.message, item.summary)
    )
    return Read(by_message, by_line, [each.grade >= HELPS for each in item.passages])


def figures(rows: Sequence[tuple[Sequence[float], Sequence[bool]]]) -> str:
    """The figures for the scores of each message's passages, and whether each passage helps."""
    scores = np.array([score for own, _ in rows for score in own])
    helps = np.array([one for _, own in rows for one in own])
    able = [(own, right) for own, right in rows if any(right)]
    first = sum(right[max(range(len(own)), key=lambda at: own[at])] for own, right in able)
    return f"AUROC {auroc(helps, scores):.3f}, the first helps for {first} of {len(able)}"


def main() -> None:
    """Run the command."""
    chosen = command_line(__doc__, "data").parse_args()
    reader = load_reranker("own")
    aside = [item for item in read_judged(chosen.data) if item.held_out and item.summary]
    found = [read(item, reader) for item in aside]
    both = [[(a + b) / 2 for a, b in zip(*own[:2], strict=True)] for own in found]
    print(f"{len(found)} messages, {sum(len(own.helps) for own in found)} passages")
    print("message:", figures([(own.message, own.helps) for own in found]))
    print("one line:", figures([(own.line, own.helps) for own in found]))
    print("both:", figures([(mean, own.helps) for mean, own in zip(both, found, strict=True)]))


if __name__ == "__main__":
    main()
