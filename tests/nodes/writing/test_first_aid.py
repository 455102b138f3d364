"""Steps of first aid are quoted whole, from a page that probably fits, or not at all."""

import pytest

from nodes.writing.first_aid import LEAST, pages, steps

CHOKING = "starter-choking-infant-first-aid"


@pytest.mark.parametrize(("chance", "shown"), [(LEAST, True), (LEAST - 0.01, False)])
def test_steps_are_quoted_whole_from_the_page_that_fits(
    monkeypatch: pytest.MonkeyPatch, chance: float, shown: bool
) -> None:
    chances = {"none": 0.9, CHOKING: chance, "starter-burns-first-aid": 0.1}
    monkeypatch.setattr("nodes.writing.first_aid.page_probabilities", lambda message: chances)
    found = steps("my baby is choking")
    if not shown:
        assert found is None
        return
    assert found is not None
    page, statements = found
    assert page.record_id == CHOKING
    assert " ".join(item["text"] for item in statements) == page.text
    assert all(item["verdict"] == "supported" for item in statements)


def test_a_page_that_the_corpus_does_not_have_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodes.writing.first_aid.page_probabilities", lambda message: {"gone": 1.0})
    assert steps("my baby is choking") is None


@pytest.mark.parametrize(
    ("message", "page"),
    [
        ("a piece of banana is stuck, my baby of 8 months cannot breathe", "choking-infant"),
        ("my husband has steak stuck in his throat and cannot speak", "choking-adult"),
        ("wasp stung me in the mouth, my tongue is huge and I can hardly breathe", "anaphylaxis"),
        ("petrol pump splashed in his eyes, both of them, screaming", "eye-chemical"),
        ("what should I pack for my holiday", ""),
    ],
)
def test_the_page_is_found_for_an_emergency_in_the_words_of_people(message: str, page: str) -> None:
    found = steps(message)
    assert (found[0].record_id if found else "") == (f"starter-{page}-first-aid" if page else "")


def test_every_page_is_on_first_aid() -> None:
    assert all(name.endswith("-first-aid") for name in pages())
    assert len(pages()) == 45
