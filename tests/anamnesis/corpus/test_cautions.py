"""Tables of who should ask before taking a medicine, and the names in them."""

from anamnesis.corpus.cautions import cautions, comparison_key, families, medicine_names, mentions
from anamnesis.memory.profile import FIELDS


def test_the_tables_of_cautions_can_be_read() -> None:
    fields = {own.field for own in cautions()}
    assert fields == set(FIELDS) - {"sex"}
    assert all(own.members and own.reference for own in families().values())
    assert all(own.medicines and own.why and own.reference for own in cautions())
    assert all(own.of or own.field == "age" for own in cautions())


def test_names_are_compared_without_endings_and_apostrophes() -> None:
    assert comparison_key("St John’s wort") == comparison_key("st johns wort")
    found = mentions("Beta-blockers and co-amoxiclav.", medicine_names())
    assert [own.key for own in found] == [
        comparison_key("beta blocker"),
        comparison_key("co-amoxiclav"),
    ]
