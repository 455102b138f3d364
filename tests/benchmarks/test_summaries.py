"""The figures of the reader by what it reads, by hand."""

from benchmarks.summaries import figures


def test_figures_count_pairs_of_passages_and_messages_with_one_that_helps() -> None:
    # 2.0 is above four of the five passages that do not help, -2.0 above none of them.
    rows = [([2.0, 1.0, -1.0], [True, False, False]), ([0.0, 0.5], [False, False])]
    assert figures([*rows, ([3.0, -2.0], [False, True])]) == (
        "AUROC 0.400, the first helps for 1 of 2"
    )
