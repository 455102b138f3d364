"""Plain text in paragraphs, headings and list items."""

import re

import pytest
from hypothesis import given

from anamnesis.language.text import (
    is_list_item,
    tidy,
    tokenize,
    without_marker,
)
from tests.anamnesis.language.texts import TEXTS


class TestTidy:
    @given(TEXTS)
    def test_keeps_every_word_in_its_place(self, text: str) -> None:
        shown = re.sub("[\u200b\ufeff\u00ad\x00-\x08\x0e-\x1b\x1f\x7f]", " ", text)
        assert tokenize(tidy(text)) == tokenize(shown)

    @given(TEXTS)
    def test_leaves_no_runs_of_blanks(self, text: str) -> None:
        tidied = tidy(text)
        assert tidied == tidied.strip()
        assert not re.search(r"[^\S\n]{2}|\n{3}|[^\S\n]\n|\n[^\S\n]", tidied)

    @given(TEXTS)
    def test_stays_as_it_is(self, text: str) -> None:
        assert tidy(tidy(text)) == tidy(text)

    def test_lays_out_a_flattened_list(self) -> None:
        raw = "Causes include       -  Smoking    - A blocked airway       Treatment varies."
        assert tidy(raw) == "Causes include\n- Smoking\n- A blocked airway\n\nTreatment varies."

    def test_lays_out_a_list_whose_first_item_follows_one_blank(self) -> None:
        raw = "Symptoms include - Fever  - Cough  - Pain"
        assert tidy(raw) == "Symptoms include\n- Fever\n- Cough\n- Pain"

    def test_gives_headings_a_line(self) -> None:
        assert tidy("Stage III     Stage III is divided.") == "Stage III\n\nStage III is divided."
        assert tidy("Tests for Glaucoma  An exam helps.") == "Tests for Glaucoma\n\nAn exam helps."

    def test_joins_what_only_wide_blanks_part(self) -> None:
        assert tidy("The  BRCA1  or  BRCA2  genes\n matter.  A lot.") == (
            "The BRCA1 or BRCA2 genes matter. A lot."
        )

    def test_leaves_tidy_text_alone(self) -> None:
        text = "Key Points\n- Rest.\n- Drink 1.5 l.\n\nSee a doctor (Dr. No). It helps."
        assert tidy(text) == text


class TestListItems:
    @pytest.mark.parametrize(
        ("item", "text"), [("- Rest", "Rest"), (" • Rest", "Rest"), ("2. Rest", "Rest")]
    )
    def test_are_known_by_their_marker(self, item: str, text: str) -> None:
        assert is_list_item(item)
        assert without_marker(item) == text

    @pytest.mark.parametrize("text", ["Rest", "-5 degrees", "2.5 mg", ""])
    def test_are_not_all_that_begins_so(self, text: str) -> None:
        assert not is_list_item(text)
        assert without_marker(text) == text
