"""Tables of who should ask before taking a medicine, and the names in them."""

from anamnesis.corpus.cautions import (
    cautions,
    comparison_key,
    families,
    families_named,
    medicine_names,
    mentions,
)
from anamnesis.memory.profile import FIELDS


def test_the_tables_of_cautions_can_be_read() -> None:
    fields = {caution.field for caution in cautions()}
    assert fields == set(FIELDS) - {"sex"}
    assert all(family.members and family.reference for family in families().values())
    assert all(caution.medicines and caution.why and caution.reference for caution in cautions())
    assert all(caution.of or caution.field == "age" for caution in cautions())


def test_names_are_compared_without_endings_and_apostrophes() -> None:
    assert comparison_key("St John’s wort") == comparison_key("st johns wort")
    found = mentions("Beta-blockers and co-amoxiclav.", medicine_names())
    assert [mention.key for mention in found] == [
        comparison_key("beta blocker"),
        comparison_key("co-amoxiclav"),
    ]


def test_a_text_names_the_family_of_a_medicine_by_its_abbreviation() -> None:
    text = "SSRI antidepressants such as sertraline can lower sex drive."
    assert [item.name for item in families_named(["escitalopram"], text)] == ["SSRIs"]
    assert families_named(["venlafaxine"], text) == []
