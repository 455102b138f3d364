"""Whether the reader distinguishes the passages that the product ranks highest.

    python -m benchmarks.ranked_high [--data DIR] [--first-pages]

The held-out messages of ``training/ranked_high.jsonl.gz``: people's questions, and messages as they
type them, each with the one to five passages that the product ranked highest (index of MedQuAD and
the starter corpus), which were then judged. They are harder to distinguish than passages found by a
search, because a reader has chosen them. ``--first-pages`` takes those of
``training/first_pages.jsonl.gz``: the first eight pages of a search, whatever the reader finds.
Printed: AUROC of those that help (grade 2 or 3); for how many messages the first helps, of
those with one that does; for ranges of the relevance how many passages have it, and the share that
helps; and, unless these are first pages, for each minimum relevance, as it was when the passages
were chosen, how many messages have a first passage that reaches it, and how often that helps, is
only related (grade 1), or is about something else.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from anamnesis.models.reading import from_log_odds
from anamnesis.models.reranker import load_reranker
from benchmarks.command_line import command_line
from benchmarks.summaries import figures, log_odds_of
from evaluation.helpfulness import MIN_HELPFUL_GRADE
from training.judged import FIRST_PAGES, RANKED_HIGH, Judged, read_judged

_RANGES = (0.0, 0.1, 0.3, 0.5, 0.7, 1.0)
_LEAST = (0.2, 0.31, 0.4, 0.5, 0.6, 0.7, 0.8)


def main() -> None:
    """Run the command."""
    parser = command_line(__doc__, "data")
    parser.add_argument("--first-pages", action="store_true", help="the first pages of a search")
    chosen = parser.parse_args()
    reader = load_reranker("own")
    judged = read_judged(chosen.data, FIRST_PAGES if chosen.first_pages else RANKED_HIGH)
    aside = [item for item in judged if item.held_out]
    helps = [[each.grade >= MIN_HELPFUL_GRADE for each in item.passages] for item in aside]
    scores = [log_odds_of([item.message], item, reader) for item in aside]
    print(f"{len(aside)} messages, {sum(map(len, helps))} passages")
    print(figures(list(zip(scores, helps, strict=True))))
    for line in by_range(
        [one for group in scores for one in group], [one for group in helps for one in group]
    ):
        print(line)
    if not chosen.first_pages:
        for line in coverage(aside):
            print(line)


def coverage(messages: Sequence[Judged]) -> Iterator[str]:
    """For each minimum relevance the grades of the first passages that reach it."""
    firsts = [
        max((each.relevance or 0.0, each.grade) for each in item.passages) for item in messages
    ]
    for least in _LEAST:
        grades = [grade for chance, grade in firsts if chance >= least]
        helps, related = sum(one >= MIN_HELPFUL_GRADE for one in grades), grades.count(1)
        yield (
            f"first passage of at least {least}: {len(grades)} of {len(firsts)} messages; "
            f"{helps} help, {related} are related, {len(grades) - helps - related} are not"
        )


def by_range(scores: Sequence[float], helps: Sequence[bool]) -> Iterator[str]:
    """For each range of the relevance the number of passages, and the share that helps.

    ``scores`` are log-odds.
    """
    chances, right = np.array([from_log_odds(one) for one in scores]), np.array(helps)
    for least, below in pairwise(_RANGES):
        in_range = right[(chances >= least) & ((chances < below) | (below == 1.0))]
        share = f"{in_range.mean():.2f} help" if len(in_range) else "none"
        yield f"relevance {least:.1f} to {below:.1f}: {len(in_range)} passages, {share}"


if __name__ == "__main__":
    main()
