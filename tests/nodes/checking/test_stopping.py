"""Advice to stop a treatment, and sentences that say to go on with it."""

import pytest

from anamnesis.corpus.starter import read_starter
from anamnesis.language.text import sentences
from nodes.checking.stopping import goes_on, named_medicine, stopped_in

SENTENCES = [
    record.text[start:end] for record in read_starter() for start, end in sentences(record.text)
]


@pytest.mark.parametrize(
    ("statement", "stopped"),
    [
        ("Stop taking all your inhalers at once.", {"inhal"}),
        ("Quit the warfarin today.", {"warfa"}),
        ("All antibiotics should be stopped.", {"antib"}),
        ("Throw away your insulin.", {"insul"}),
        ("Stop using the yellow drops.", {"yello", "drops"}),  # what is used is a treatment
        # Conditions, habits and advice against stopping.
        ("Stop the insulin if you feel faint.", set()),
        ("Ask before you stop the warfarin.", set()),
        ("Never stop the warfarin.", set()),
        ("Stop smoking today.", set()),
        ("Stop the car.", set()),
        ("The bleeding stops after ten minutes.", set()),
    ],
)
def test_what_is_to_be_stopped_is_a_treatment(statement: str, stopped: set[str]) -> None:
    assert stopped_in(statement) == stopped


def test_no_sentence_of_the_starter_corpus_says_to_stop_a_treatment() -> None:
    """Though 'stop' is in many of them: bleeding that does not, and medicines not to stop."""
    named = [item for item in SENTENCES if "stop" in item]
    assert len(named) > 40
    assert [item for item in named if stopped_in(item)] == []


@pytest.mark.parametrize(
    ("sentence", "stopped", "expected"),
    [
        ("Asthma is treated with inhaled medicines.", {"inhal"}, True),
        ("Keep the reliever inhaler within reach.", {"inhal"}, True),
        ("Apixaban should not be stopped without medical advice.", {"apixa"}, True),
        ("Asthma is treated with inhaled medicines.", {"warfa"}, False),
        ("Warfarin can cause bleeding.", {"warfa"}, False),
        ("Do not use this inhaler.", {"inhal"}, False),
        ("Stop using this inhaler.", {"inhal"}, False),
        ("Should I use an inhaler?", {"inhal"}, False),
    ],
)
def test_a_sentence_goes_on_with_a_treatment(
    sentence: str, stopped: set[str], expected: bool
) -> None:
    assert goes_on(sentence, stopped) is expected


def test_nothing_goes_on_with_nothing() -> None:
    assert not [item for item in SENTENCES[::20] if goes_on(item, ())]


@pytest.mark.parametrize(
    ("word", "medicine"),
    [("warfarin", "warfarin"), ("omeprazole", "omeprazole"), ("water", None), ("asthma", None)],
)
def test_a_medicine_is_known_by_the_table_or_by_its_ending(word: str, medicine: str | None) -> None:
    assert named_medicine(word) == medicine
