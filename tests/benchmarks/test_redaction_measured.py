from benchmarks.redaction import PARTS, measured, sentences


def test_what_is_measured_is_half_identifying_and_half_not() -> None:
    every = [sentence for part in ("seen", "held aside") for sentence in sentences(part)]
    assert len(every) == 200
    assert sum(bool(places) for _, places in every) == 100
    assert all("{" not in text for text, _ in every)


def test_the_figures_of_the_page_are_kept() -> None:
    least = {"seen": 1.0, "held aside": 1.0, "harder": 0.65, "last": 0.8}
    for part, recall in least.items():
        figures = measured(part)
        assert figures.found / figures.there >= recall, part
        assert figures.wrong == 0, part
    assert least.keys() == PARTS.keys()
