"""The threshold for quoting a sentence, on questions about topics that the reader has not seen.

    python -m benchmarks.sentences --data DIR

Each held-out question of ``asked`` with an answer is read with its own passage. For each minimum
probability of a quoted sentence (``nodes.evidence.sentences.QUOTED``; the best one is quoted from
``BEST`` on) this prints, in two halves of the topics, so that a threshold can be chosen on one and
reported on the other: the precision, recall and F1 of the quoted sentences, the share of questions
of which all answering sentences are quoted (``complete``), and of which none is (``missed``). Only
passages that reach the minimum relevance count. A last part has both halves by style of question.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from anamnesis.models.reranker import load_reranker
from benchmarks.command_line import command_line
from evaluation.reader import of_sentences
from nodes.evidence.sentences import BEST
from nodes.settings.derived import QUOTED_RELEVANCE
from training.question_passages import read_question_passages

THRESHOLDS = (0.6, 0.55, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25)


class Answered(NamedTuple):
    """A question that its passage answers.

    Attributes:
        topic: That of the passage.
        style: The style of the question: search, message or specific.
        probabilities: For each sentence the probability that a good answer quotes it.
        answers: Places of the answering sentences.
    """

    topic: str
    style: str
    probabilities: Sequence[float]
    answers: frozenset[int]

    @property
    def half(self) -> int:
        """0 or 1; all questions on one topic are in the same half."""
        return blake2b(self.topic.encode(), digest_size=1).digest()[0] % 2


def read(folder: Path) -> Iterator[Answered]:
    """The held-out questions, each read with its own passage."""
    reader = load_reranker("own")
    for item in read_question_passages(folder):
        if not (item.held_out and item.answers):
            continue
        [reading] = reader.read(item.question, [(item.heading, " ".join(item.sentences))])
        if reading.relevance >= QUOTED_RELEVANCE:
            found = of_sentences(item.sentences, reading)
            yield Answered(item.topic, item.style, found, item.answers)


def quoted(probabilities: Sequence[float], threshold: float) -> set[int]:
    """Places of the sentences that reach the threshold, otherwise of the best one from BEST on."""
    mark = min(threshold, max(max(probabilities), BEST))
    return {place for place, item in enumerate(probabilities) if item >= mark}


def table(found: Sequence[Answered]) -> Iterator[str]:
    """A line for each threshold."""
    for threshold in THRESHOLDS:
        pairs = [(quoted(item.probabilities, threshold), item.answers) for item in found]
        both = sum(len(shown & right) for shown, right in pairs)
        precision = both / max(sum(len(shown) for shown, _ in pairs), 1)
        recall = both / sum(len(right) for _, right in pairs)
        f1 = 2 * precision * recall / (precision + recall) if both else 0.0
        complete = sum(right <= shown for shown, right in pairs) / len(pairs)
        missed = sum(not right & shown for shown, right in pairs) / len(pairs)
        yield (
            f"{threshold:.2f}: precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}, "
            f"complete {complete:.3f}, missed {missed:.3f}"
        )


def main() -> None:
    parser = command_line(__doc__, "data")
    found = list(read(parser.parse_args().data))
    parts = {f"half {half}": [item for item in found if item.half == half] for half in (0, 1)}
    for style in sorted({item.style for item in found}):
        parts[style] = [item for item in found if item.style == style]
    for name, results in parts.items():
        print(f"{name}, {len(results)} questions")
        for line in table(results):
            print(f"  {line}")


if __name__ == "__main__":
    main()
