"""Steps of first aid are quoted whole, from a page that certainly fits, or not at all."""

from nodes.writing.first_aid import pages, steps
from tests.fakes import HashEmbedder, ScriptedReader


def test_steps_of_first_aid_are_quoted_whole_from_the_page_that_answers() -> None:
    choking = ScriptedReader(lambda *_: [1.0 if "infant" in own.id else 0.0 for own in pages()])
    found = steps("my baby is choking", choking, HashEmbedder())
    assert found is not None
    own_page, statements = found
    assert own_page.record_id == "starter-choking-infant-first-aid"
    assert all(item["text"] in own_page.text for item in statements)
    assert all(item["verdict"] == "supported" for item in statements)


def test_no_steps_where_no_page_answers() -> None:
    nothing = ScriptedReader(lambda *_: [0.0] * len(pages()))
    assert steps("my leg was bitten off by a shark", nothing, HashEmbedder()) is None
