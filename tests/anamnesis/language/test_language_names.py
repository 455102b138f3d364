"""Names in sentences of the starter corpus, those that a source lacks, and how two are compared."""

import pytest

from anamnesis.corpus.starter import read_starter
from anamnesis.language.names import (
    is_disease,
    is_drug,
    longest_names,
    name_key,
    names,
    unknown_names,
)

TEXTS = [f"{record.question} {record.text}" for record in read_starter()][::5]


@pytest.mark.parametrize(
    "word",
    "aciclovir amlodipine apixaban atorvastatin clarithromycin doxycycline furosemide "
    "levothyroxine lisinopril losartan metformin omeprazole prednisolone warfarin".split(),
)
def test_medicines_are_known_by_their_endings(word: str) -> None:
    assert is_drug(word)
    assert not is_disease(word)


@pytest.mark.parametrize(
    "word",
    "anaemia appendicitis bronchiolitis diverticulosis endometriosis fibromyalgia gonorrhea "
    "hypoglycemia melanoma mononucleosis psoriasis tuberculosis measles gout".split(),
)
def test_diseases_are_known_by_their_endings_or_as_words(word: str) -> None:
    assert is_disease(word)
    assert not is_drug(word)


@pytest.mark.parametrize(
    "word", "diagnosis prognosis hypnosis provide april person inside water kidney".split()
)
def test_words_that_only_end_alike_are_no_names(word: str) -> None:
    assert not is_drug(word)
    assert not is_disease(word)


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        (
            "Some foods, such as iron tablets, can reduce how well levothyroxine is absorbed.",
            ["levothyroxine"],
        ),
        (
            "A bone density scan, also called DXA or DEXA, uses a low dose of X-rays.",
            ["DXA", "DEXA", "X-rays"],
        ),
        ("Parkinson's disease: This is why Tremor starts.", ["Tremor"]),
        ("A Pap test does not check for ovarian cancer.", ["cancer"]),
        ("Teenagers and children need more sleep than adults.", []),
    ],
)
def test_capitals_within_a_sentence_medicines_and_diseases_are_names(
    sentence: str, found: list[str]
) -> None:
    assert names(sentence) == found


def test_every_name_of_a_text_is_known_from_the_text() -> None:
    named = [text for text in TEXTS if names(text)]
    assert len(named) > len(TEXTS) / 2
    assert not [text for text in named if unknown_names(text, text, text)]


PAGE = "Warfarin is an anticoagulant. Taking aspirin with warfarin raises the risk of bleeding."


@pytest.mark.parametrize(
    ("statement", "evidence", "passage", "unknown"),
    [
        ("Warfarin raises the risk.", PAGE, PAGE, []),
        ("Apixaban raises the risk.", PAGE, PAGE, ["apixaban"]),
        # A medicine of the passage is unknown where the sentence names another one.
        ("Aspirin is an anticoagulant.", "Warfarin is an anticoagulant.", PAGE, ["aspirin"]),
        ("The cause is Hepatitis C.", "Hepatitis B is a virus.", "Hepatitis B or C.", [
            "hepatitis c",
        ]),
        ("It is seen by MRI.", "", "Magnetic resonance imaging shows it.", []),
        ("It is seen by MRS.", "", "Magnetic resonance imaging shows it.", ["mrs"]),
    ],
)  # fmt: skip
def test_what_the_source_does_not_name_is_unknown(
    statement: str, evidence: str, passage: str, unknown: list[str]
) -> None:
    assert unknown_names(statement, evidence, passage) == unknown


BRITISH = (
    "oedema/edema oesophagus/esophagus foetus/fetus foetal/fetal diarrhoea/diarrhea "
    "diarrhoeal/diarrheal dyspnoea/dyspnea amoeba/ameba lymphoedema/lymphedema "
    "seborrhoeic/seborrheic homoeopathy/homeopathy coeliac/celiac anaemia/anemia anaemic/anemic "
    "anaesthetic/anesthetic paediatric/pediatric caecum/cecum faecal/fecal ischaemia/ischemia "
    "gynaecology/gynecology leukaemia/leukemia haematuria/hematuria aetiology/etiology "
    "naevus/nevus septicaemia/septicemia pharmacopoeia/pharmacopeia"
)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Hemorrhages", "hemorrhage"),
        ("haemorrhage", "hemorrhage"),
        ("Haemorrhoids", "hemorrhoid"),
        ("Coeliac disease", "celiac disease"),
        ("Psoriasis", "psoriasis"),
        ("Lupus", "lupus"),
        ("sinus", "sinus"),
        ("AIDS", "aid"),
        ("gas", "gas"),
        ("St John's wort", "st john s wort"),
        ("Oestrogens", "estrogen"),
        ("Foetuses", name_key("fetuses")),
        ("Faeces", name_key("feces")),
        ("Amoebae", "amebae"),
        *(tuple(pair.split("/")) for pair in BRITISH.split()),
    ],
)
def test_spellings_and_plurals_are_one_name(name: str, key: str) -> None:
    assert name_key(name) == key
    assert name_key(key) == key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("shoes", "she"), ("shoe", "she"), ("toed", "ted"), ("aloe", "ale"), ("goer", "ger"),
        ("being", "boeing"), ("canoe", "cane"), ("poets", "pets"), ("heroes", "here"),
        ("mangoes", "mange"), ("forgoes", "forge"), ("michael", "michel"), ("doer", "der"),
        ("floe", "fle"), ("coed", "ced"), ("loess", "less"),
    ],
)  # fmt: skip
def test_ordinary_words_with_these_letters_are_other_names(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


def test_of_a_name_within_another_only_the_longer_one_counts() -> None:
    words = "does metastatic breast cancer differ from cancer".split()
    found = longest_names(words, {"cancer", "breast cancer", "breast"}, 2)
    assert list(found) == [(2, 4, "breast cancer"), (6, 7, "cancer")]
