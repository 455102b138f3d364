from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.language.names import name_key
from anamnesis.language.words import STOP_WORDS
from retrievers.names import NameIndex, keys, write_names


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Pyrexia", {"pyrexia"}),
        ("Fits", {"fit"}),
        ("Diabetes mellitus", {"diabete mellitus"}),
        ("Oedema", {"edema"}),
        ("Haemolytic anaemia", {"hemolytic anemia"}),
        ("Rhinitis, allergic", {"rhinitis allergic", "allergic rhinitis"}),
        ("Mitral disease (md)", {"mitral disease md", "mitral disease", "md"}),
        ("Protein binding (drug)", {"protein binding drug", "protein binding"}),
        ("With", set()),
        ("", set()),
        ("(?)", set()),
    ],
)  # fmt: skip
def test_a_name_is_found_by_its_forms(name: str, found: set[str]) -> None:
    assert keys(name) == found


FACTS = [
    (("Ibuprofen",), ("Pyrexia", "fever")),
    (("Breast cancer",), ("Bone pain",)),
    (("Cancer", "malignancy"), ("Pyrexia", "fever")),
]


def test_an_ordinary_word_is_no_other_name(tmp_path: Path) -> None:
    write_names([(("Shoe",), ("Blister",))], tmp_path)
    found = NameIndex(tmp_path)
    assert found.named("Why is she ill?") == []
    assert [ordinals.tolist() for ordinals in found.named("Do new shoes hurt?")] == [[0]]


@pytest.fixture
def names(tmp_path: Path) -> NameIndex:
    write_names(FACTS, tmp_path)
    return NameIndex(tmp_path)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("What helps against a FEVER?", [[1, 5]]),
        ("Does ibuprofen lower fevers?", [[0], [1, 5]]),
        # 'Cancer' is part of a longer name here.
        ("bone pain in breast cancer", [[3], [2]]),
        ("malignancy, cancer", [[4], [4]]),
        ("fever and fever again", [[1, 5]]),
        ("nothing of the kind", []),
        ("", []),
    ],
)
def test_a_text_gives_the_places_of_what_it_names(
    names: NameIndex, text: str, places: list[list[int]]
) -> None:
    assert [found.tolist() for found in names.named(text)] == places


def test_no_facts_have_no_names(tmp_path: Path) -> None:
    write_names([], tmp_path)
    assert NameIndex(tmp_path).named("fever") == []
    assert not NameIndex(tmp_path).has_word("fever")


def test_a_word_is_known_by_the_names_that_it_is_part_of(names: NameIndex) -> None:
    assert all(names.has_word(word) for word in ("ibuprofen", "fevers", "bone", "malignancy"))
    assert not any(names.has_word(word) for word in ("ibuprofin", "in", "", "bone pain"))


@given(st.text())
def test_any_name_can_be_looked_up_by_itself(name: str) -> None:
    form = name_key(name)
    assert (form in keys(name)) == any(word not in STOP_WORDS for word in form.split())
    assert all(key == " ".join(key.split()) for key in keys(name))
