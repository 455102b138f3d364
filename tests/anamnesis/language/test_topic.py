"""The topic of a question, and how much two texts share."""

from anamnesis.language.topic import overlap


def test_overlap_is_a_share_of_the_shorter_text() -> None:
    assert overlap("gout hurts", "gout hurts the big toe") == 1.0
    assert overlap("gout hurts", "asthma narrows airways") == 0.0
    assert overlap("", "gout") == 0.0
