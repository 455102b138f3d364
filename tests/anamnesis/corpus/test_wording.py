import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.wording import SYMMETRIC, normal, sentence
from anamnesis.language.quotable import units
from anamnesis.language.text import sentences

TRUE = [
    (("Lithium", "may_cause", "EKG abnormalities"), "Lithium may cause EKG abnormalities."),
    (("Aspirin", "may_treat", "Pyrexia"), "Aspirin may treat Pyrexia."),
    # The condition is the head: it is the drug that is not to be given.
    (
        ("Pregnancy", "may_contraindicate", "Thalidomide"),
        "Thalidomide may be contraindicated in Pregnancy.",
    ),
    (
        ("Acute intermittent porphyria", "may_contraindicate", "Ethanol"),
        "Ethanol may be contraindicated in Acute intermittent porphyria.",
    ),
    # Here the drug is the head.
    (
        ("Propranolol", "is_contraindicated_in", "Bronchial asthma"),
        "Propranolol is contraindicated in Bronchial asthma.",
    ),
    (
        ("Propranolol", "contraindication", "asthma"),
        "Propranolol has contraindication asthma.",
    ),
    (
        ("Combined oral contraceptive pill", "is_a_risk_factor_of", "Deep vein thrombosis"),
        "Combined oral contraceptive pill is a risk factor for Deep vein thrombosis.",
    ),
    (
        ("Trimethoprim", "is_an_ingredient_of", "Co-trimoxazole"),
        "Trimethoprim is an ingredient of Co-trimoxazole.",
    ),
    (("Disulfiram", "interacts_with", "Warfarin"), "Disulfiram interacts with Warfarin."),
    (
        ("Crizotinib", "belongs_to_the_drug_family_of", "Tyrosine kinase inhibitors"),
        "Crizotinib belongs to the drug family of Tyrosine kinase inhibitors.",
    ),
    (
        ("Polyene antifungal agents", "belongs_to_drug_super-family", "Antifungal antibiotics"),
        "Polyene antifungal agents belongs to the drug super-family of Antifungal antibiotics.",
    ),
    (("Ixodes ticks", "is_a_vector_for", "Lyme"), "Ixodes ticks is a vector for Lyme."),
    (("Inguinal lymphadenopathy", "is_a_subtype_of", "Lymphadenopathy"),
     "Inguinal lymphadenopathy is a subtype of Lymphadenopathy."),
    # The class is the head, the drug the tail.
    (
        ("Nitroimidazoles", "includes_compound", "Metronidazole"),
        "Metronidazole belongs to the drug class Nitroimidazoles.",
    ),
    (("Doxycycline", "treats", "malaria"), "Doxycycline is used to treat malaria."),
    (("Metoclopramide", "palliates", "migraine"), "Metoclopramide is used to relieve migraine."),
    (("malaria", "presents_symptom", "Fever"), "Malaria may present with Fever."),
    (
        ("Captopril", "causes_side_effect", "Cough"),
        "Captopril can cause the side effect Cough.",
    ),
    (
        ("gout", "localizes_to", "manual digit"),
        "Gout may affect this part of the body: manual digit.",
    ),
    (("psoriasis", "associates_gene", "CD8A"), "Psoriasis is associated with the gene CD8A."),
    (("tuberculous epididymitis", "is_a", "urogenital tuberculosis"),
     "Tuberculous epididymitis is a kind of urogenital tuberculosis."),
    # A trait is no effect.
    (
        ("Warfarin", "may_cause", "Cytochrome P450 substrate"),
        "Warfarin has the property Cytochrome P450 substrate.",
    ),
    # Relations that are not known.
    (("Asthma", "symptom", "wheezing"), "Asthma has symptom wheezing."),
    (("Malaria", "transmitted_by", "mosquitoes"), "Malaria is transmitted by mosquitoes."),
    (("Vitamin C", "prevents", "scurvy"), "Vitamin C prevents scurvy."),
    (("Folic acid", "can prevent", "spina bifida"), "Folic acid can prevent spina bifida."),
    # Names that are written with a small letter keep it.
    (("p53", "is_a", "protein"), "p53 is a kind of protein."),
]  # fmt: skip


@pytest.mark.parametrize(("triplet", "expected"), TRUE, ids=[text for _, text in TRUE])
def test_a_triplet_is_worded_in_its_direction(triplet: tuple[str, str, str], expected: str) -> None:
    assert sentence(*triplet) == expected


@pytest.mark.parametrize("relation", ["may_cause", "may cause", "May_Cause", " may  cause "])
def test_a_relation_counts_however_it_is_written(relation: str) -> None:
    assert sentence("Lithium", relation, "tremor") == "Lithium may cause tremor."


def test_what_may_be_is_not_worded_as_what_is() -> None:
    for relation in ("may_treat", "may_cause", "may_contraindicate", "presents_symptom"):
        assert " may " in sentence("Head", relation, "tail")


def test_a_name_with_braces_stays_as_it_is() -> None:
    assert sentence("{tail}", "may_cause", "{0}") == "{tail} may cause {0}."


@given(st.sampled_from([triplet for triplet, _ in TRUE]))
def test_a_triplet_is_one_sentence_that_can_be_quoted(triplet: tuple[str, str, str]) -> None:
    text = sentence(*triplet)
    assert len(sentences(text)) == 1
    quotable = len(text.split()) > 3 and (text[0].isupper() or text[0].isdigit())
    assert [unit.text for unit in units(text)] == ([text] if quotable else [])


def test_relations_that_hold_both_ways_are_written_as_they_are_compared() -> None:
    assert all(normal(relation) == relation for relation in SYMMETRIC)
