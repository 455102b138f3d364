"""The shares of helping passages, and what a minimum relevance lets through, by hand."""

from benchmarks.ranked_high import by_range, coverage
from training.judged import Graded, Judged


def test_each_range_has_its_number_and_share() -> None:
    lines = list(by_range([-4.0, -1.5, -1.4, 0.2, 9.0], [False, True, False, True, True]))
    assert lines == [
        "relevance 0.0 to 0.1: 1 passages, 0.00 help",
        "relevance 0.1 to 0.3: 2 passages, 0.50 help",
        "relevance 0.3 to 0.5: 0 passages, none",
        "relevance 0.5 to 0.7: 1 passages, 1.00 help",
        "relevance 0.7 to 1.0: 1 passages, 1.00 help",
    ]


def test_only_the_first_passage_of_a_message_counts() -> None:
    def message(*passages: tuple[float, int]) -> Judged:
        graded = [Graded("", (), grade, frozenset(), None, chance) for chance, grade in passages]
        return Judged("", "", "", "", tuple(graded))

    lines = list(coverage([message((0.3, 3), (0.45, 0)), message((0.9, 2)), message((0.65, 1))]))
    assert lines[0] == (
        "first passage of at least 0.2: 3 of 3 messages; 1 help, 1 are related, 1 are not"
    )
    assert lines[-1] == (
        "first passage of at least 0.8: 1 of 3 messages; 1 help, 0 are related, 0 are not"
    )
