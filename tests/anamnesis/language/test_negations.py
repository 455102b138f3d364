"""What negates, and that all readers know the same words for it."""

import pytest

from anamnesis.corpus.doses import above_maximum, doses
from anamnesis.language.negations import has_negation, negation_count
from nodes.checking.stopping import goes_on, stopped_in
from nodes.choosing.declarative import hypothesis, statement_of
from nodes.question.options import find_choice
from nodes.question.premise import premise_of
from nodes.question.standalone import faithful


@pytest.mark.parametrize(
    "text",
    [
        "It rarely helps.",
        "It hardly helps.",
        "Nobody needs it.",
        "Neither helps.",
        "It dont help.",
        "It doesn’t help.",
        "You cannot take it.",
        "It does not help.",
    ],
)
def test_each_way_to_negate_counts_once(text: str) -> None:
    assert has_negation(text)
    assert negation_count(text) == 1


def test_more_and_less_are_compared_and_not_negated() -> None:
    assert negation_count("No more than two, and not only once.") == 0


def test_a_rewriting_that_drops_a_negation_is_not_used() -> None:
    earlier = [("What is asthma?", "asthma")]
    asked = "Why is it rarely cured?"
    assert faithful("Why is asthma rarely cured?", asked, earlier)
    assert not faithful("Why is asthma cured?", asked, earlier)
    assert not faithful("Why does asthma get better?", "Why doesnt it get better?", earlier)


def test_doses_read_each_negation() -> None:
    [dose] = doses("You shouldn’t take more than 4 g of paracetamol a day.")
    assert dose.limit
    assert above_maximum("Paracetamol 50 g a day doesn't harm anyone.")
    assert not above_maximum("You dont need 50 g of paracetamol a day.")
    assert not above_maximum("You can’t take 50 g of paracetamol a day.")


def test_to_advise_against_stopping_is_to_go_on_and_to_advise_against_use_is_not() -> None:
    for said in ("Don't ever stop your inhaler.", "Nobody should stop the inhaler."):
        assert goes_on(said, stopped_in("Stop using your inhaler."))
    assert not goes_on("Do not use your inhaler.", stopped_in("Stop using your inhaler."))


def test_questions_are_read_with_each_negation() -> None:
    assert statement_of("Can't aspirin cause bleeding?") == "Aspirin can cause bleeding."
    assert hypothesis("Which drug can't be given in asthma?", "Propranolol") == (
        "Propranolol can be given in asthma."
    )
    found = premise_of("Since antibiotics don't cure colds, what helps?")
    assert found
    assert found.text == "Antibiotics don't cure colds."
    found = premise_of("Why can't antibiotics cure colds?")
    assert found
    assert found.text == "Antibiotics cannot cure colds."


def test_a_denied_option_is_not_chosen_and_no_doubt_is_no_denial() -> None:
    options = {"A": "aspirin", "B": "paracetamol"}
    assert find_choice("In such a case one rarely gives aspirin here.", options) is None
    assert find_choice("There is no doubt that the answer is B.", options) == "B"
