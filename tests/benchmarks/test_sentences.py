"""The table of thresholds for quoting a sentence, by hand."""

from benchmarks.sentences import Answered, quoted, table


def test_sentences_that_reach_the_threshold_or_the_best_one_are_quoted() -> None:
    assert quoted([0.1, 0.45, 0.6], 0.4) == {1, 2}
    assert quoted([0.1, 0.3, 0.25], 0.4) == {1}
    assert quoted([0.1, 0.15], 0.4) == set()


def test_the_lines_of_the_table() -> None:
    found = [
        Answered("gout", "search", [0.9, 0.45, 0.1], frozenset({0, 1})),
        Answered("gout", "search", [0.7, 0.3], frozenset({1})),
    ]
    by_threshold = dict(line.split(": ", 1) for line in table(found))
    # At .5 the sentences 0 and 0 are quoted, of which one of three answers; at .4 also sentence 1.
    assert by_threshold["0.50"] == (
        "precision 0.500, recall 0.333, F1 0.400, complete 0.000, missed 0.500"
    )
    assert by_threshold["0.40"] == (
        "precision 0.667, recall 0.667, F1 0.667, complete 0.500, missed 0.500"
    )


def test_questions_on_one_topic_are_in_one_half() -> None:
    one, other = (Answered("gout", style, [0.5], frozenset({0})) for style in ("search", "message"))
    assert one.half == other.half
