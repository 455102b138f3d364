"""The shares of helping passages by relevance, by hand."""

from benchmarks.ranked_high import by_range


def test_each_range_has_its_number_and_share() -> None:
    lines = list(by_range([-4.0, -1.5, -1.4, 0.2, 9.0], [False, True, False, True, True]))
    assert lines == [
        "relevance 0.0 to 0.1: 1 passages, 0.00 help",
        "relevance 0.1 to 0.3: 2 passages, 0.50 help",
        "relevance 0.3 to 0.5: 0 passages, none",
        "relevance 0.5 to 0.7: 1 passages, 1.00 help",
        "relevance 0.7 to 1.0: 1 passages, 1.00 help",
    ]
