"""Statements and sources as an answer shows them."""

from anamnesis.corpus.passage import Passage
from nodes.checking.statements import statement
from nodes.state import Evidence, Statement
from nodes.writing.citing import cite, shown_as
from tests.nodes.pages import page


def test_a_stronger_source_that_disagrees_is_named_as_such() -> None:
    weak, strong = page("Gout is contagious.", "weak"), page("Gout is not contagious.", "strong")
    passages = {own.id: own for own in (weak, strong)}
    _, offsets = cite([weak, strong])
    against: Evidence = {"document": strong.id, "start": 0, "end": len(strong.text)}
    item: Statement = {**statement(weak.text, [weak.id]), "conflict": against}

    def place(own: Passage) -> tuple[int, int]:
        return own is weak, 0

    assert shown_as(item, passages, offsets, place)["outweighed"]
    assert "outweighed" not in shown_as(item, passages, offsets, lambda own: (0, 0))
    both: Statement = {**statement("It spreads.", [weak.id, strong.id]), "conflict": None}
    assert shown_as(both, passages, offsets, place)["citations"] == ["strong", "weak"]
    assert shown_as(both, passages, offsets, lambda _: (0, 0))["citations"] == ["weak", "strong"]
