"""The pages that are counted as listed are those that an answer lists."""

import numpy as np

from anamnesis.corpus.passage import Passage
from benchmarks.bounds import Row, listed
from nodes.fields.passages import Selected
from tests.nodes.pages import page, read

GRADES = {"gout": 3, "hidden": 3, "wrong": 3, "cold": 0}


def row(*pages: Passage) -> Row:
    """A message whose passages have a sentence each, of relevance .1."""
    ranked: list[Selected] = [read(page, 0.1, 0.5) for page in pages]
    by_id = {page.id: page for page in pages}
    return Row(ranked, by_id, GRADES, {}, by_id, lambda sentence, page: page.record_id == "wrong")


def test_a_page_without_a_sentence_that_may_be_shown_is_not_counted() -> None:
    hidden = page("Gout hurts.", "hidden")
    blank = Passage("hidden#0", "hidden", 0, 11, " " * 11, title="Gout")
    one = row(hidden, page("Gout is harmless.", "wrong"), page("Gout is common.", "gout"))
    one = one._replace(listable={**one.listable, "hidden#0": blank})
    two = row(page("A cold is common.", "cold"))
    three = row(page("Gout is harmless.", "wrong"))
    lines = dict(
        line.split(": ", 1)
        for line in listed([one, two, three], lambda texts: np.zeros((len(texts), 2), np.float32))
    )
    assert lines["least 0.08"] == (
        "of 3 silent, 2 list a page, 1 one that helps; of 2 pages, 1 of grade 0 or not judged"
    )
    assert lines["least 0.20"].startswith("of 3 silent, 0 list a page")
