import re

import pytest
from hypothesis import example, given

from anamnesis.language.text import (
    Span,
    digest,
    end_before_footnote,
    sentences,
    tokenize,
    without_thoughts,
)
from tests.anamnesis.language.texts import TEXTS


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


class TestTokenize:
    def test_gives_lower_case_words_with_digits(self) -> None:
        assert tokenize("Vitamin B12 isn't α-tocopherol.") == [
            "vitamin", "b12", "isn", "t", "α", "tocopherol",
        ]  # fmt: skip

    @given(TEXTS)
    def test_is_the_word_pattern_over_the_text_in_lower_case(self, text: str) -> None:
        assert tokenize(text) == re.findall(r"\w+", text.lower())


class TestDigest:
    def test_ignores_case_and_spacing_but_not_words(self) -> None:
        assert digest("One  two\n") == digest("one TWO")
        assert digest("one two") != digest("onetwo")

    def test_is_32_hex_digits(self) -> None:
        assert re.fullmatch("[0-9a-f]{32}", digest(""))


class TestSentences:
    @given(TEXTS)
    @example("a\r\n- b")
    def test_spans_hold_all_that_is_not_blank_in_order(self, text: str) -> None:
        spans = sentences(text)
        end = 0
        for span in spans:
            assert isinstance(span, Span)
            assert not text[end : span.start].strip()
            assert text[span.start : span.end] == text[span.start : span.end].strip() != ""
            assert span.start >= end
            end = span.end
        assert not text[end:].strip()

    def test_end_at_stops(self) -> None:
        assert split("It hurts. Is it bad? No! See a doctor… Soon.") == [
            "It hurts.", "Is it bad?", "No!", "See a doctor…", "Soon.",
        ]  # fmt: skip

    @pytest.mark.parametrize(
        "sentence",
        [
            "Take 5.5 mg. twice a day.",
            "Use it daily, e.g. with food, i.e. not alone.",
            "Dr. Smith vs. Mr. Jones et al. agreed on approx. 5 cases.",
            "Escherichia coli (E. coli) and T. b. gambiense are shown in Fig. 2 and No. 7.",
            "The U.S. Food and Drug Administration approved it.",
            "John F. Kennedy had Addison's disease.",
            "It is rare in the U.S. National surveys say so.",
            "See www.niddk.nih.gov or Smokefree.gov for more.",
            "It lasts (see below. Then rest.) for a day.",
            "Mean age 3.5 yr. was found.",
            "1. Wash your hands.",
            "a. Wash your hands.",
            '"How are you?" she asked.',
            "Shake well ... then wait.",
            "What is (are) Anemia ? ?",
            "Wash etc. before you eat.",
        ],
    )
    def test_are_not_broken_inside(self, sentence: str) -> None:
        assert split(sentence) == [sentence]

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("It is common in the U.S.", "The other drugs are not."),
            ("Eat foods with vitamin C.", "Oranges have it."),
            ("This is type A.", "Type B is worse."),
            ("Risk rises after age 50.", "You may need a test."),
            ("Take 5 mg.", "The dose may change."),
            ("He has a Ph.D.", "He is no doctor."),
            ("No.", "12 months of treatment did not help."),
            ('It is called "coarse."', "Other features vary."),
            ("It ended (at last.)", "Then it began."),
            ("can it hurt?", "what can i do?"),
            ("i have a rash.", "it itches."),
            ("It lasts.", "(Most cases do not.)"),
            ("How is it treated?", "- Rest."),
        ],
    )
    def test_are_parted(self, first: str, second: str) -> None:
        assert split(f"{first} {second}") == [first, second]

    def test_break_where_the_blank_was_lost(self) -> None:
        assert split("There are early stages.Signs of it may vary.") == [
            "There are early stages.", "Signs of it may vary.",
        ]  # fmt: skip
        assert split("See Cancer.Net for news.") == ["See Cancer.Net for news."]

    @pytest.mark.parametrize(
        ("text", "left"),
        [
            ("Few take vitamins.3", "Few take vitamins."),
            ("Choosing salt helps (a lot).1,2", "Choosing salt helps (a lot)."),
            ("Use a sunscreen no.15", "Use a sunscreen no.15"),
            ("The dose is approx.50", "The dose is approx.50"),
            ("It falls by 2.5", "It falls by 2.5"),
            ("Nothing here.", "Nothing here."),
        ],
    )
    def test_end_before_the_number_of_a_footnote(self, text: str, left: str) -> None:
        assert text[: end_before_footnote(text, Span(0, len(text)))] == left

    def test_keep_a_footnote_with_what_it_belongs_to(self) -> None:
        assert split("Few take vitamins.3 Choosing salt helps.1,2 More is not better.") == [
            "Few take vitamins.3", "Choosing salt helps.1,2", "More is not better.",
        ]  # fmt: skip

    def test_break_at_the_items_of_a_flattened_list(self) -> None:
        text = "Causes include       -  Smoking    - A blocked airway       Treatment varies."
        assert split(text) == [
            "Causes include",
            "-  Smoking",
            "- A blocked airway",
            "Treatment varies.",
        ]

    def test_break_at_bullets_and_numbers_of_a_list(self) -> None:
        assert split("Do this:\n• Rest\n* Drink\n1) Sleep\n2. Wait") == [
            "Do this:", "• Rest", "* Drink", "1) Sleep", "2. Wait",
        ]  # fmt: skip

    def test_break_before_numbers_that_follow_a_colon(self) -> None:
        assert split("Do this: 1. Rest and sleep. 2. Drink.") == [
            "Do this:", "1. Rest and sleep.", "2. Drink.",
        ]  # fmt: skip

    def test_keep_the_label_of_a_list_item_with_its_text(self) -> None:
        assert split("- Lymph system. The cancer travels. It grows.") == [
            "- Lymph system. The cancer travels.", "It grows.",
        ]  # fmt: skip

    def test_do_not_break_at_a_dash_in_a_sentence(self) -> None:
        text = "Playing in the water - whether swimming or boating - can be fun."
        assert split(text) == [text]

    def test_take_headings_for_themselves(self) -> None:
        assert split("Summary : Fats are needed.") == ["Summary :", "Fats are needed."]
        assert split("Key Points\n   - Rest.\n\nStage I\n\nIt is small.") == [
            "Key Points", "- Rest.", "Stage I", "It is small.",
        ]  # fmt: skip

    def test_keep_a_term_with_its_definition(self) -> None:
        text = "- Bone scan : A procedure to check for cells."
        assert split(text) == [text]

    def test_go_on_over_a_wrapped_line(self) -> None:
        assert split("The heart\npumps blood.") == ["The heart\npumps blood."]

    def test_of_a_long_text_without_stops_come_fast(self) -> None:
        text = ("word  " * 50_000) + (" " * 50_000) + ("( " * 20_000)
        assert sentences(text)


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        ("<think>B? No.</think>A", "A"),
        ("A <THINKING>or\nB</THINKING> it is", "A  it is"),
        ("A <think>it breaks off", "A "),
        ("I think A", "I think A"),
        ("B? No.</think>A", "A"),
        ("[THINK]B?[/THINK]A", "A"),
        ("By [reasoning] A", "By [reasoning] A"),
    ],
)
def test_what_a_model_thinks_aloud_is_left_out(reply: str, kept: str) -> None:
    assert without_thoughts(reply) == kept
