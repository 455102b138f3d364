"""The table of everyday names."""

import pytest

from anamnesis import CorpusError
from anamnesis.corpus import everyday_names
from anamnesis.corpus.everyday_names import table, terms
from anamnesis.corpus.shipped import lines
from anamnesis.language.names import name_key


def test_every_row_has_a_term_names_a_category_and_a_reference() -> None:
    for number, line in lines(everyday_names.TABLE):
        term, names, category, reference = line.split("\t")
        assert all((term, names, reference.strip())), number
        assert category in ("medicine", "other"), number


def test_no_name_is_its_own_term_or_that_of_two_rows() -> None:
    for row in table():
        keys = set(map(name_key, row.names))
        assert keys.isdisjoint(map(name_key, row.spellings)), row
    every = [key for row in table() for key in set(map(name_key, row.names))]
    assert sorted(every) == sorted(set(every))


def test_names_are_found_in_the_form_in_which_names_are_compared() -> None:
    assert terms()[name_key("Milk of Magnesia")].spellings == ("magnesium hydroxide",)
    assert name_key("magnesium hydroxide") not in terms()


def test_a_damaged_line_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(everyday_names, "lines", lambda table: [(7, "antacid\ttums")])
    table.cache_clear()
    try:
        with pytest.raises(CorpusError, match=r"everyday_names\.tsv, line 7"):
            table()
    finally:
        table.cache_clear()
