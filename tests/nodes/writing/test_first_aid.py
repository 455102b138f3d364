"""The steps of a page on first aid are quoted whole, or not at all."""

import pytest

from nodes.writing.first_aid import pages, steps

CHOKING = "starter-choking-infant-first-aid"


def test_the_steps_of_a_page_are_quoted_whole() -> None:
    found = steps(CHOKING)
    assert found is not None
    page, statements = found
    assert page.record_id == CHOKING
    assert " ".join(item["text"] for item in statements) == page.text
    assert all(item["verdict"] == "supported" for item in statements)


@pytest.mark.parametrize("name", ["", "gone"])
def test_a_page_that_the_corpus_does_not_have_is_not_shown(name: str) -> None:
    assert steps(name) is None


def test_every_page_is_on_first_aid() -> None:
    assert all(name.endswith("-first-aid") for name in pages())
    assert len(pages()) == 45
