"""What the reader loses because a message is long: the message, or its question in one line.

    python -m benchmarks.summaries [--data DIR] [--model REF --index DIR]

The held-out messages of MeQSum that ``training/judged.jsonl.gz`` judges, each with six or seven
passages, and with the one-line question that a person wrote for the data set. The reader reads each
passage with the message, and with the line. Printed for both, and for the mean of both log-odds:
AUROC of the passages that help (grade 2 or 3), and for how many messages the first passage helps,
of those with one that does. With ``--model`` the same for the lines to which this chat model
condenses the messages that the graph would let it condense (``nodes.question.condensing``); of
several lines, the one with the highest log-odds for a passage counts.
"""

from collections.abc import Sequence

import numpy as np

from anamnesis.models.chat import load_chat
from anamnesis.models.reading import log_odds
from anamnesis.models.reranker import Reranker, load_reranker
from benchmarks.command_line import command_line
from evaluation.classification import auroc
from evaluation.helpfulness import MIN_HELPFUL_GRADE
from nodes.question.condensing import condense, is_long
from retrievers.opening import open_corpus
from training.judged import Judged, read_judged


def log_odds_of(questions: Sequence[str], item: Judged, reader: Reranker) -> list[float]:
    """The highest log-odds of each passage of a message, read with each of the questions."""
    passages = [(each.pieces[0], " ".join(each.pieces[1:])) for each in item.passages]
    found = [
        [log_odds(reading.relevance) for reading in reader.read(question, passages)]
        for question in questions
    ]
    return [max(each) for each in zip(*found, strict=True)]


def figures(rows: Sequence[tuple[Sequence[float], Sequence[bool]]]) -> str:
    """The figures for the scores of each message's passages, and whether each passage helps."""
    scores = np.array([score for scores_of_one, _ in rows for score in scores_of_one])
    helps = np.array([one for _, helps_of_one in rows for one in helps_of_one])
    able = [(scores_of_one, right) for scores_of_one, right in rows if any(right)]
    first = sum(
        right[max(range(len(scores_of_one)), key=lambda at: scores_of_one[at])]
        for scores_of_one, right in able
    )
    return f"AUROC {auroc(helps, scores):.3f}, the first helps for {first} of {len(able)}"


def main() -> None:
    """Run the command."""
    parser = command_line(__doc__, "data", "index")
    parser.add_argument("--model", help="reference of a chat model")
    chosen = parser.parse_args()
    reader = load_reranker("own")
    aside = [item for item in read_judged(chosen.data) if item.held_out and item.summary]
    helps = [[each.grade >= MIN_HELPFUL_GRADE for each in item.passages] for item in aside]
    by_message = [log_odds_of([item.message], item, reader) for item in aside]
    by_line = [log_odds_of([item.summary], item, reader) for item in aside]
    read = {"message": by_message, "one line": by_line, "both": mean(by_message, by_line)}
    print(f"{len(aside)} messages, {sum(map(len, helps))} passages")
    if chosen.model:
        chat, idf = load_chat(chosen.model), open_corpus(chosen.index).idf
        lines = [is_long(each.message) and condense(chat, each.message, idf) for each in aside]
        asked = sum(is_long(item.message) for item in aside)
        print(f"{asked} messages are long, and {sum(map(bool, lines))} were condensed")
        by_model = [
            log_odds_of(line, item, reader) if line else known
            for item, line, known in zip(aside, lines, by_message, strict=True)
        ]
        read |= {"condensed": by_model, "both ways": mean(by_message, by_model)}
    for name, rows in read.items():
        print(f"{name}: {figures(list(zip(rows, helps, strict=True)))}")


def mean(one: Sequence[list[float]], other: Sequence[list[float]]) -> list[list[float]]:
    """The mean of two log-odds of each passage."""
    return [
        [(a + b) / 2 for a, b in zip(*pair, strict=True)] for pair in zip(one, other, strict=True)
    ]


if __name__ == "__main__":
    main()
