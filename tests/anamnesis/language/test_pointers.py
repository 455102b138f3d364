"""Sentences that point to another part of their page, and those that only seem to."""

import pytest

from anamnesis.corpus.starter import read_starter
from anamnesis.language.pointers import points_elsewhere
from anamnesis.language.text import sentence_texts


@pytest.mark.parametrize(
    "text",
    [
        "The table below shows how much salt these foods contain.",
        "As described above, the rash fades within a week.",
        "Below are the most common causes of a cough.",
        "Echo might be done before and after a stress test (see below).",
        "The following tests may be done.",
        "Doctors look for the following:",
        "Following are the steps of the operation.",
        "In addition to the above conditions, gout can cause pain.",
        "Visit Go4Life to learn more about exercise.",
        "For help with smoking, see the page on nicotine.",
        "Click here to learn more about asthma.",
    ],
)
def test_what_names_another_part_of_the_page_points_there(text: str) -> None:
    assert points_elsewhere(text)


@pytest.mark.parametrize(
    "text",
    [
        "A blood pressure below 120/80 mm Hg is normal for most adults.",
        "A T-score of minus 1 or above is normal.",
        "Driving is not allowed with a level above .08.",
        "Symptoms may return following treatment.",
        "Following a low-salt diet lowers blood pressure.",
        "Bring the diary to the clinic visit.",
        "A dye allows the doctor to see the flow of blood.",
        "Bruises can appear on the following days.",
        "If you have chest pain, visit the emergency department.",
        "If it lasts, see the doctor.",
        "Pain can be felt above and below the knee.",
        "The adrenal glands lie above the kidneys.",
        "Clay-colored stools, above all with yellow skin, need a doctor.",
    ],
)
def test_a_preposition_points_nowhere(text: str) -> None:
    assert not points_elsewhere(text)


def test_the_sentences_of_the_starter_corpus_can_be_quoted() -> None:
    every = [text for record in read_starter() for text in sentence_texts(record.text)]
    # Such as 'the adult tooth below', and 'below about 15', where 'about' could begin a clause.
    assert sum(map(points_elsewhere, every)) <= 4
