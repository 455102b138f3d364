"""What sentences say of doses, and what of it is above the table."""

import pytest

from anamnesis.corpus.doses import above_maximum, context, doses, has_amount
from anamnesis.corpus.medicines import maxima, medicines_by_name, medicines_in
from anamnesis.corpus.shipped import lines, listed
from anamnesis.corpus.starter import read_starter
from anamnesis.language.text import sentences, tokenize

ABOUT = ("What is the dose of paracetamol?",)


@pytest.mark.parametrize(
    "sentence",
    [
        "Take paracetamol 500 mg every 4 minutes.",
        "Adults can take 50 g of paracetamol a day.",
        "Take 8 x 500 mg tablets of paracetamol four times a day.",
        "Do not take more than 50 g of paracetamol a day.",
        "Paracetamol 50 g a day is harmless.",
        "Take 2,000 mg of Tylenol every hour.",
        "Give 100 mg of ibuprofen 4 times an hour.",
        "Levothyroxine 50 mg every morning.",
        "The dose is two grams six times a day.",
        "Take 2 g of acetaminophen twice a day.",
        "In hospital, paracetamol 50 g every 6 hours is given.",
        "Methotrexate 100 mg is taken daily.",
        "Take sixty mg of levothyroxine a day.",
        "Take 900 mg of paracetamol every forty mins.",
    ],
)
def test_more_than_the_table_allows_is_found(sentence: str) -> None:
    assert above_maximum(sentence, ABOUT)


@pytest.mark.parametrize(
    "sentence",
    [
        "More than 4 g a day can damage the liver.",
        "He took 50 g of paracetamol.",
        "Taking 10 g of paracetamol at once can be fatal.",
        "An overdose of 20 g of paracetamol needs treatment with acetylcysteine.",
        "Never take 8 g of paracetamol a day.",
        "Paracetamol 15 mg/kg every 4 hours, up to 4 g a day.",
        "Acetaminophen 75 mg per kilogram a day in divided doses.",
        "A level of paracetamol of 150 mg/L is treated.",
        "Paracetamol 500 mg to 1 g every 4 to 6 hours, up to a maximum of 4 g in 24 hours.",
        "Take two 500 mg tablets of paracetamol up to four times in 24 hours.",
        "Intravenous amiodarone 2 g over 24 hours is given in hospital.",
        "Alendronate 70 mg is taken once a week.",
        "Methotrexate 25 mg once a week.",
        "Aspirin 81 mg once daily with atorvastatin 40 mg at night.",
        "Sprinkle 30 g of fibre on your food every day.",
        "Take two tablets every hour.",
        "Adults who weigh less than 50 kg should take at most 2 g of paracetamol a day.",
    ],
)
def test_warnings_weights_other_ways_and_usual_doses_pass(sentence: str) -> None:
    assert not above_maximum(sentence)
    assert has_amount(sentence) or "tablets" in sentence


def test_an_amount_belongs_to_the_medicine_it_stands_by() -> None:
    found = doses("Aspirin 81 mg once daily with 40 mg of atorvastatin at night.")
    assert [(dose.medicine, dose.daily) for dose in found] == [
        ("aspirin", 81),
        ("atorvastatin", 40),
    ]


def test_of_a_range_the_reading_that_makes_least_counts() -> None:
    [dose] = doses("Ibuprofen 200-400 mg every 4 to 6 hours.")
    assert (dose.daily, dose.single, dose.interval) == (1600, 400, 6)


def test_a_sentence_that_names_no_medicine_is_about_the_one_before_it_names() -> None:
    said = "Take 50 g a day."
    assert not above_maximum(said)
    assert above_maximum(said, ("", "Paracetamol"))
    assert not above_maximum(said, ("Paracetamol and ibuprofen differ.", "Paracetamol"))


def test_only_a_sentence_that_goes_on_looks_at_the_one_before() -> None:
    before, heading = "Tamoxifen is given.", "How is it treated?"
    assert context("Take 50 g a day.", before, heading) == (before, heading)
    assert context("Doses vary between 30 and 60 mg per day.", before, heading) == (heading,)


def test_the_starter_corpus_recommends_nothing_above_the_table() -> None:
    assert [
        record.id for record in read_starter() if above_maximum(record.text, (record.title,))
    ] == []


def test_a_stated_maximum_is_read_as_one_and_its_restriction_follows_it() -> None:
    records = [record for record in read_starter() if record.id.endswith("-maximum-dose")]
    assert len(records) >= 15
    for record in records:
        first, second, *rest = (
            record.text[span.start : span.end] for span in sentences(record.text)
        )
        known = maxima().get(record.focus.lower())
        found = doses(first, (record.title,))
        assert bool(found) == (known is not None), record.id
        for dose in found:
            assert known is not None
            assert dose.medicine == known.medicine
            assert (dose.daily or dose.single or 0.0) <= known.daily, record.id
        # A sentence that begins with 'However' is quoted together with the one before.
        assert second.startswith("However, "), record.id
        assert rest[-1].startswith("Anyone who has taken more"), record.id
        for text in (first, second, *rest):
            assert not above_maximum(text, (record.title,)), text


def test_no_time_between_doses_is_no_frequency() -> None:
    [dose] = doses("Take 500 mg of paracetamol every 0 hours.")
    assert (dose.daily, dose.single, dose.interval) == (None, 500, None)


def test_every_row_of_the_table_has_names_figures_and_a_reference() -> None:
    rows = set(maxima().values())
    assert len(rows) >= 100
    for row in rows:
        assert row.reference
        assert row.daily > 0
        assert row.single is None or row.single <= row.daily
        assert row.interval is None or row.single is not None or row.daily
        assert all(name == name.lower() for name in row.names)
    names = [name for row in rows for name in row.names]
    assert len(names) == len(set(names)) == len(maxima())


def test_the_second_table_of_medicines_names_none_of_the_first_and_each_name_once() -> None:
    rows = [line.split("\t") for _, line in lines("medicine_names.tsv")]
    names = [name for first, others in rows for name in (first, *listed(others))]
    assert len(names) == len(set(names))
    assert all(tokenize(name) == [name] for name in names)
    assert maxima().keys().isdisjoint(names)
    assert medicines_by_name().keys() == {*maxima(), *names}


def test_a_text_names_medicines_by_brand_and_by_generic_name() -> None:
    assert medicines_in("Clexane with Plavix, or Tylenol?") == {
        "enoxaparin", "clopidogrel", "paracetamol",
    }  # fmt: skip
