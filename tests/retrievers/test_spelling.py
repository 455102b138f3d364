"""Words that an index does not have, repaired against those that it has."""

from collections.abc import Callable
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.record import Record
from retrievers.index import Index
from retrievers.spelling import Speller, right_words, sound
from tests.retrievers.conftest import Put

COUNTS = {
    "psoriasis": 90, "diabetes": 900, "diabetics": 2, "cirrhosis": 160, "asthma": 120,
    "diarrhea": 400, "nephrotic": 70, "necrotic": 3, "esophagus": 160, "hemorrhage": 130,
    "anemia": 600, "pediatric": 60, "color": 260, "tumor": 500, "bunions": 3,
    "prednisone": 40, "metoprolol": 2, "hypertension": 300, "hypothyroidism": 90,
    "hyperthyroidism": 60, "hyperkalemia": 9, "chronic": 970, "core": 52, "lasik": 2,
    "contain": 50, "contact": 40, "rare": 1, "raresa": 1, "what": 9000, "causes": 5000,
    "there": 2000, "could": 90, "couldn": 9, "medical": 3000, "clonal": 30, "clinal": 29,
    "covid19": 8,
}  # fmt: skip


SPELLER = Speller(COUNTS)


@pytest.fixture
def speller() -> Speller:
    return SPELLER


@pytest.mark.parametrize(
    ("word", "repaired"),
    [
        ("psorasis", "psoriasis"),
        ("diabetis", "diabetes"),
        ("cirrosis", "cirrhosis"),
        ("asthsma", "asthma"),  # one edit, doubled
        ("diahrrea", "diarrhea"),
        ("esophygus", "esophagus"),
        ("hemmorhage", "hemorrhage"),
        ("metroprolol", "metoprolol"),
        # It sounds the same, which counts for more than that 'necrotic' is one edit away.
        ("nefrotic", "nephrotic"),
        ("ypertension", "hypertension"),
    ],
)
def test_a_misspelt_word_becomes_the_nearest_word_of_the_index(
    speller: Speller, word: str, repaired: str
) -> None:
    assert speller.nearest(word) == repaired


@pytest.mark.parametrize(
    "word",
    [
        "psoriasis",  # the index has it
        "asma",  # too short
        "covid18",  # a digit
        "12345",
        "rares",  # one passage alone has the nearest word
        "clanal",  # two words are as near
        "xanthoma",  # nothing is near
        "lasix",  # a medicine: a short word that does not sound like the one of the index
        "coreg",
        "prednisolone",  # another medicine, two edits away
        "hypokalemia",  # the opposite of what the index has
        "hypokalemya",
        "hyptothyroidism",  # between opposites
        "couldnt",
        "theyre",
        "contour",  # a word of English
        "medicinal",
        "dsoriasis",  # another first letter
    ],
)
def test_a_word_that_may_be_meant_stays(speller: Speller, word: str) -> None:
    assert speller.nearest(word) is None


@pytest.mark.parametrize(
    ("word", "repaired"),
    [
        ("anaemia", "anemia"),
        ("diarrhoea", "diarrhea"),
        ("haemorrhage", "hemorrhage"),
        ("paediatric", "pediatric"),
        ("colour", "color"),
        ("tumours", None),
        ("tumour", "tumor"),
        ("bunion", None),
    ],
)
def test_a_right_word_is_searched_for_in_the_spelling_of_the_index(
    speller: Speller, word: str, repaired: str | None
) -> None:
    assert speller.nearest(word) == repaired


def test_a_name_that_the_facts_know_stays() -> None:
    assert Speller(COUNTS).nearest("psoriases") == "psoriasis"
    assert Speller(COUNTS, {"psoriases"}.__contains__).nearest("psoriases") is None


def test_a_question_is_repaired_in_its_own_letters(speller: Speller) -> None:
    text, words = speller.repair("What causes Psorasis, CRONIC psorasis - and diabetis?!")
    assert text == "What causes Psoriasis, CHRONIC psoriasis - and diabetes?!"
    assert words == [
        {"written": "Psorasis", "searched": "Psoriasis"},
        {"written": "CRONIC", "searched": "CHRONIC"},
        {"written": "diabetis", "searched": "diabetes"},
    ]


def test_a_british_spelling_is_no_correction(speller: Speller) -> None:
    text, words = speller.repair("diarrhoea and diabetis")
    assert text == "diarrhea and diabetes"
    assert [word["written"] for word in words] == ["diabetis"]


def test_the_american_spelling_of_a_word_is_looked_up_once() -> None:
    class Counting(Speller):
        words: ClassVar[list[str]] = []

        def _american(self, word: str) -> str | None:
            self.words.append(word)
            return super()._american(word)

    assert Counting(COUNTS).repair("diarrhoea and diabetis")[0] == "diarrhea and diabetes"
    assert Counting.words == ["diarrhoea", "diabetis"]


def test_addresses_and_shortened_negations_stay(speller: Speller) -> None:
    for text in (
        "write to me@psorasis.org",
        "see https://example.org/psorasis",
        "see www.psorasis.org",
        "it contaen't be",
    ):
        assert speller.repair(text) == (text, [])
    assert speller.repair("it contaen be")[0] == "it contain be"


@pytest.mark.parametrize("text", ["", "  \n", "?!", "\ud800", "\0", "x" * 5000, "é" * 9])
def test_what_has_no_words_stays(speller: Speller, text: str) -> None:
    assert speller.repair(text) == (text, [])


@given(st.lists(st.sampled_from([*sorted(COUNTS), ", ", "?", "\n", " "])).map(" ".join))
def test_a_text_of_words_that_the_index_has_stays(text: str) -> None:
    assert SPELLER.repair(text) == (text, [])


WRITTEN = ["psorasis", "Cronic", "asthsma", "rares", "coreg", "who@psorasis.org", ", ", "\n", " "]


@given(st.lists(st.sampled_from(WRITTEN) | st.text(max_size=9), max_size=6).map("".join))
def test_a_repair_replaces_words_and_nothing_else(text: str) -> None:
    repaired, words = SPELLER.repair(text)
    assert {word["searched"].lower() for word in words} <= set(COUNTS)
    assert (repaired == text) == (not words)
    assert SPELLER.repair(repaired) == (repaired, [])


def test_words_that_sound_alike_differ_in_vowels_and_doubled_letters() -> None:
    assert sound("nefrotic") == sound("nephrotic")
    assert sound("hemmorhage") == sound("hemorrhage")
    assert sound("alkohol") == sound("alcohol")
    assert sound("lasix") != sound("lasik")


def test_english_words_and_medicines_of_the_starter_corpus_are_right() -> None:
    assert {"oesophagus", "yesterday", "prednisolone", "cetirizine"} <= right_words()
    assert not {"psorasis", "diabetis"} & right_words()


def test_an_index_repairs_by_the_passages_that_hold_a_word(
    put: Put, opened: Callable[[], Index]
) -> None:
    texts = ["Psoriasis itches.", "Psoriasis is common, and psoriasis lasts.", "Psoriasys is none."]
    put([Record(f"r{n}", "Skin", text) for n, text in enumerate(texts)])
    index = opened()
    counts = index.bm25.counts()
    assert (counts["psoriasis"], counts["psoriasys"]) == (2, 1)
    assert index.speller is index.speller
    assert index.speller.repair("psorasis?")[0] == "psoriasis?"


def test_an_empty_index_repairs_nothing(put: Put, opened: Callable[[], Index]) -> None:
    put([])
    assert opened().speller.repair("psorasis") == ("psorasis", [])
