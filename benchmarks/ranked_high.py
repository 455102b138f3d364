"""Whether the reader distinguishes the passages that the product ranks highest.

    python -m benchmarks.ranked_high [--data DIR]

The messages of ``training/ranked_high.jsonl.gz`` that no reader was trained on: people's questions,
and messages as they type them, each with the three to five passages that the product ranked highest
(index of MedQuAD and the starter corpus), which were then judged. They are harder to tell apart
than passages found by a search, because a reader has chosen them. Printed: AUROC of those that help
(grade 2 or 3); for how many messages the first helps, of those with one that does; and for ranges
of the relevance how many have it, and the share that helps.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from anamnesis.models.reading import from_log_odds
from anamnesis.models.reranker import load_reranker
from benchmarks.command_line import command_line
from benchmarks.summaries import figures, log_odds_of
from evaluation.helpfulness import HELPS
from training.judged import RANKED_HIGH, read_judged
from training.ranked_high import is_aside

_RANGES = (0.0, 0.1, 0.3, 0.5, 0.7, 1.0)


def main() -> None:
    """Run the command."""
    chosen = command_line(__doc__, "data").parse_args()
    reader = load_reranker("own")
    every = read_judged(chosen.data, RANKED_HIGH)
    aside = [item for place, item in enumerate(every) if is_aside(place, item)]
    helps = [[each.grade >= HELPS for each in item.passages] for item in aside]
    scores = [log_odds_of([item.message], item, reader) for item in aside]
    print(f"{len(aside)} messages, {sum(map(len, helps))} passages")
    print(figures(list(zip(scores, helps, strict=True))))
    for line in by_range(
        [one for own in scores for one in own], [one for own in helps for one in own]
    ):
        print(line)


def by_range(scores: Sequence[float], helps: Sequence[bool]) -> Iterator[str]:
    """For each range of the relevance the number of passages, and the share that helps.

    ``scores`` are log-odds.
    """
    chances, right = np.array([from_log_odds(one) for one in scores]), np.array(helps)
    for least, below in pairwise(_RANGES):
        own = right[(chances >= least) & ((chances < below) | (below == 1.0))]
        share = f"{own.mean():.2f} help" if len(own) else "none"
        yield f"relevance {least:.1f} to {below:.1f}: {len(own)} passages, {share}"


if __name__ == "__main__":
    main()
