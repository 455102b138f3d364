"""What of a passage can be quoted by itself."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.language.quotable import dangling, only_names, quoted, units

LISTED = (
    "Gout has several risk factors:\n- obesity\n- alcohol\nIt often runs in families. Read more"
)


def test_a_list_stays_with_its_lead_in() -> None:
    assert [unit.text for unit in units(LISTED)] == [
        "Gout has several risk factors:\n- obesity\n- alcohol",
        "It often runs in families.",
    ]


def test_headings_questions_and_labels_are_no_claims() -> None:
    assert [
        unit.text
        for unit in units(
            "Key Points\n\nWho is at risk?\n\nChest pain.\n\nMen get gout more often."
        )
    ] == ["Men get gout more often."]


def test_units_are_stretches_of_the_text() -> None:
    for unit in units(LISTED):
        assert LISTED[unit.span.start : unit.span.end] == unit.text


@given(st.text(max_size=300))
def test_units_never_overlap(text: str) -> None:
    found = units(text)
    for one, other in pairwise(found):
        assert one.span.end <= other.span.start


def test_a_sentence_that_points_back_with_these_factors_is_dangling() -> None:
    assert dangling("For some people, gout is caused by more than one of these factors.")
    assert not dangling("Gout has many risk factors, and these factors add up.")
    assert not dangling("People with gout eat these: liver and beans.")


def test_a_sentence_on_this_test_is_dangling_unless_it_names_the_test() -> None:
    assert dangling("You need not fast before this test.")
    assert not dangling("A skin test is quick, and this test does not hurt.")
    assert not dangling("People with this condition may be tired.")


def test_pointers_to_other_sources_are_no_units() -> None:
    for text in (
        "The Gout Society has a page called Is gout hereditary?",
        "The site Goutnet has an in-depth review of the genetics of gout.",
        "You may have to register to view the article on gout.",
    ):
        assert units(text) == []


def test_words_that_refer_back_are_known() -> None:
    assert dangling("However, most people recover.")
    assert dangling("Side effects can include headaches.")
    assert dangling("The most common side effects are nausea and fever.")
    assert not dangling("Side effects of colchicine include nausea.")
    assert dangling("These medicines help.")
    assert not dangling("Item counts matter.")


def test_list_items_without_a_lead_in_are_no_units() -> None:
    text = "Gout needs a diet.\n- People may ask a dietitian.\n- often comes back."
    assert [unit.text for unit in units(text)] == [
        "Gout needs a diet.",
        "People may ask a dietitian.",
    ]


def test_a_lead_in_of_two_sentences_stays_with_its_list() -> None:
    text = (
        "There is the following list of signs. Signs and how many have them:\n- fever: 90%\n- rash"
    )
    assert [unit.text for unit in units(text)] == [text]


def test_pointers_to_other_parts_of_a_page_are_no_units() -> None:
    text = "Here is a brief overview of gout. Click the link below for gout. Gout hurts the toe."
    assert [unit.text for unit in units(text)] == ["Gout hurts the toe."]


def test_each_item_of_a_list_of_sentences_is_a_unit() -> None:
    items = "- Age. Bones become thinner with age. Falls add to it.\n- Sex. Women are at risk."
    assert [unit.text for unit in units(f"Some risks cannot change. These include\n{items}")] == [
        "Some risks cannot change.",
        "Age. Bones become thinner with age. Falls add to it.",
        "Sex. Women are at risk.",
    ]


def test_items_in_lower_case_stay_with_their_lead_in_whatever_follows_in_them() -> None:
    items = (
        "- tell your doctor if you have gout. She may test your blood.\n"
        "- ask which medicines to stop."
    )
    assert [unit.text for unit in units(f"Before taking salt,\n{items}\nRest helps the toe.")] == [
        f"Before taking salt,\n{items}",
        "Rest helps the toe.",
    ]
    assert units(items) == []


def test_of_a_long_list_whole_items_are_quoted_from_the_first_on() -> None:
    item = f"- {'very ' * 80}swollen toes. They hurt{' a lot' * 20}.\n"
    [unit] = units(f"Signs of gout include\n{item * 4}")
    assert unit.text == f"Signs of gout include\n{item * 2}".rstrip()
    assert units(f"Signs of gout include\n- {'very ' * 300}swollen toes. They hurt.") == []


def test_only_whole_sentences_are_a_quotation() -> None:
    text = "It is a myth that aspirin cures the flu. Rest helps.\n- Fluids help too. They are safe."
    assert quoted("Rest helps.", text) is not None
    assert quoted("Rest helps.\n- Fluids help too. They are safe.", text) is not None
    assert quoted("aspirin cures the flu.", text) is None
    assert quoted("It is a myth", text) is None
    assert quoted("", text) is None


@given(st.text(max_size=200))
def test_every_unit_is_a_quotation_of_its_text(text: str) -> None:
    for unit in units(text):
        assert quoted(unit.text, text) is not None


def test_what_a_text_denies_is_not_quoted_without_the_denial() -> None:
    text = "Do not believe these myths:\n- Honey cures all asthma.\n- Cats cause all asthma."
    assert [unit.text for unit in units(text)] == [text]
    assert quoted("Honey cures all asthma.", text) is None
    assert quoted(text, text) is not None


def test_items_without_a_verb_stay_with_their_lead_in() -> None:
    text = (
        "The outlook depends on the following:\n- The stage of the cancer.\n- The age of the man."
    )
    assert [unit.text for unit in units(text)] == [text]
    assert [unit.text for unit in units(text.partition("\n")[2])] == []


def test_items_that_lost_their_headings_are_no_list() -> None:
    assert units("Drugs include the following.\n- is taken by mouth\n- slows cells") == []


def test_a_label_at_the_beginning_of_a_line_is_quoted_with_the_sentence_after_it() -> None:
    text = (
        "The two have different symptoms.\n\nDiverticulosis. Many people have no symptoms at all. "
        "Pain is rare. Some bleed a little now and then.\n\nErythromycin.\nGout hurts the big toe."
    )
    assert [unit.text for unit in units(text)] == [
        "The two have different symptoms.",
        "Diverticulosis. Many people have no symptoms at all.",
        "Some bleed a little now and then.",  # 'Pain is rare.' does not begin the line
        "Gout hurts the big toe.",  # the label is on another line
    ]
    assert units("Yes. Race is a risk factor.")[0].text == "Yes. Race is a risk factor."
    assert units("Gout causes pain. Rest often helps well.")[0].text == "Rest often helps well."


@pytest.mark.parametrize(
    "text",
    [
        "You usually do not need them for a sigmoidoscopy.",
        "Most of them have no cure.",
        "The cause is not known, but they seem to develop soon after birth.",
    ],
)
def test_a_pronoun_without_a_word_that_it_may_stand_for_refers_back(text: str) -> None:
    assert dangling(text)


@pytest.mark.parametrize(
    "text",
    [
        "Sedatives calm you, but you usually do not need them.",
        "A person may lose their balance.",
        "People with gout may find that their toes hurt.",
        "Most children have no symptoms unless they are ill.",
    ],
)
def test_a_pronoun_for_a_word_of_its_own_sentence_does_not(text: str) -> None:
    assert not dangling(text)


def test_a_list_of_resources_names_what_these_resources_are() -> None:
    lead = "These resources address the diagnosis or management of Wolfram syndrome:"
    assert not dangling(f"{lead}\n- Gene Review: WFS1\n- Genetic Testing Registry")
    assert dangling(lead)
    assert dangling("These resources from MedlinePlus offer information:\n- Drug Therapy")
    assert dangling("These symptoms include:\n- Fever\n- Cough")


@pytest.mark.parametrize(
    ("text", "refers"),
    [
        ("Others slow down the heartbeat.", True),
        ("Other people are born with it.", True),
        ("Some are minor.", True),
        ("Most die within two years.", True),
        ("Most people recover.", False),
        ("Some risk factors cannot be changed.", False),
        ("At that stage of the disease, the survival rate is low.", True),
        ("During this test, you walk on a belt.", True),
        ("At this time there is no cure.", False),
        ("In those with a fever, rest helps.", False),
    ],
)
def test_a_beginning_that_names_nothing_refers_back(text: str, refers: bool) -> None:
    assert dangling(text) == refers


@pytest.mark.parametrize(
    "text",
    [
        "Fever, weight loss, and pain",
        "Coughing, wheezing, mood changes.",
        "Sudden numbness of the face; trouble walking",
        "Short-acting bronchodilators, inhaled corticosteroids",
        "Chronic kidney failure.",
        ",;,",
    ],
)
def test_names_are_known(text: str) -> None:
    assert only_names(text)


@pytest.mark.parametrize(
    "text",
    [
        "Gout causes fever.",
        "Gout strikes the big toe.",
        "Statins lower cholesterol.",
        "Signs of gout are: fever",
        "Attacks usually begin at night.",
        "It hurts. Fever follows.",
        "They're painful.",
        "Doctors diagnose gout based on medical and family histories, and tests.",
    ],
)
def test_what_has_a_verb_is_more_than_names(text: str) -> None:
    assert not only_names(text)


@given(st.text(max_size=40))
def test_every_text_is_names_or_not(text: str) -> None:
    assert only_names(text) in (True, False)
