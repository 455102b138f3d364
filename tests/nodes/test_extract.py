from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.passage import Passage
from nodes.extract import choose, extract
from nodes.units import Unit, dangling, quoted, units
from nodes.words import other_subject, overlap

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


def made(*texts: str, passage: int = 0) -> list[Unit]:
    return [
        unit._replace(passage=passage)
        for text in texts
        for unit in [Unit(0, 0, units("A b c d.")[0].span, text)]
    ]


def test_units_come_in_reading_order_and_near_the_best() -> None:
    found = made("Gout hurts the toe.", "Cats are animals.", "Gout follows uric acid crystals.")
    kept = choose(found, [0.6, 0.1, 0.7], most=5)
    assert [unit.text for unit in kept] == [found[0].text, found[2].text]


def test_no_more_than_asked_for() -> None:
    found = made("Gout hurts the toe.", "Asthma narrows airways.", "Measles causes rash.")
    assert len(choose(found, [0.6, 0.6, 0.6], most=2)) == 2
    assert choose([], [], most=2) == []


def test_what_says_the_same_again_is_left_out() -> None:
    found = made("Gout hurts the big toe.", "The big toe hurts in gout.")
    assert len(choose(found, [0.7, 0.6], most=5)) == 1


def test_a_leaning_sentence_comes_with_the_one_before_or_not_at_all() -> None:
    found = made("Gout is a disease of joints.", "It can be treated.")
    assert len(choose(found, [0.1, 0.9], most=5)) == 2
    assert choose(found[1:], [0.9], most=5) == []
    assert choose(found, [0.1, 0.9], most=1) == []


def test_a_sentence_that_points_back_with_these_factors_leans() -> None:
    assert dangling("For some people, gout is caused by more than one of these factors.")
    assert not dangling("Gout has many risk factors, and these factors add up.")
    assert not dangling("People with gout eat these: liver and beans.")


def test_pointers_to_other_sources_are_no_units() -> None:
    for text in (
        "The Gout Society has a page called Is gout hereditary?",
        "The site Goutnet has an in-depth review of the genetics of gout.",
        "You may have to register to view the article on gout.",
    ):
        assert units(text) == []


def test_leaning_words_are_known() -> None:
    assert dangling("However, most people recover.")
    assert dangling("Side effects can include headaches.")
    assert dangling("The most common side effects are nausea and fever.")
    assert not dangling("Side effects of colchicine include nausea.")
    assert dangling("These medicines help.")
    assert not dangling("Item counts matter.")


def test_overlap_is_a_share_of_the_shorter_text() -> None:
    assert overlap("gout hurts", "gout hurts the big toe") == 1.0
    assert overlap("gout hurts", "asthma narrows airways") == 0.0
    assert overlap("", "gout") == 0.0


def test_every_statement_quotes_the_passage_it_cites() -> None:
    passages = [
        Passage(
            "a#0",
            "a",
            0,
            0,
            "Gout is caused by uric acid crystals. Gout hurts.",
            question="What causes gout?",
        ),
        Passage(
            "b#0", "b", 0, 0, "Gout often strikes the big toe of men.", question="What is gout?"
        ),
    ]
    by_id = {passage.id: passage.text for passage in passages}
    made_ = extract("What causes gout?", passages, None, lambda term: 1.0, 5)
    assert made_
    for item in made_:
        assert item["text"] in by_id[item["citations"][0]]


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


def test_what_is_about_half_of_the_question_is_not_quoted() -> None:
    about = Passage(
        "w#0", "w", 0, 0, "Warfarin is used to thin the blood.", question="What is warfarin?"
    )
    asked = "Can I take ibuprofen with warfarin?"
    assert extract(asked, [about], None, lambda term: 1.0, 5) == []
    assert extract("What is warfarin?", [about], None, lambda term: 1.0, 5)


def test_how_long_needs_a_time() -> None:
    def told(text: str) -> list[str]:
        own = Passage("w#0", "w", 0, 0, text, title="Whooping cough")
        asked = "How long does whooping cough last?"
        return [item["text"] for item in extract(asked, [own], None, lambda term: 1.0, 5)]

    assert told("Whooping cough is caused by bacteria.") == []
    assert told("Whooping cough can last ten weeks.") == ["Whooping cough can last ten weeks."]


def test_how_fast_needs_a_rate() -> None:
    def told(text: str) -> list[str]:
        own = Passage("s#0", "s", 0, 0, text, title="Low sodium")
        asked = "How fast should low sodium be corrected?"
        return [item["text"] for item in extract(asked, [own], None, lambda term: 1.0, 5)]

    assert told("Signs appear 2 to 3 days after low sodium is corrected.") == []
    assert told("Low sodium is corrected slowly, by 8 mmol/L a day.")


def test_what_is_asked_of_the_topic_must_be_spoken_of() -> None:
    own = Passage("m#0", "m", 0, 0, "Metformin lowers blood sugar in diabetes.", title="Metformin")
    asked = "What are the side effects of metformin?"
    assert extract(asked, [own], None, lambda term: 1.0, 5) == []
    assert extract("What is metformin?", [own], None, lambda term: 1.0, 5)


def test_a_narrower_subject_comes_behind() -> None:
    wide = Passage("a#0", "a", 0, 0, "Tremor is a sign of the disease.", title="Parkinson disease")
    narrow = Passage(
        "b#0", "b", 0, 0, "Seizures are a sign of the disease.", title="Parkinson disease type 9"
    )
    asked = "What are the signs of Parkinson disease?"
    kept = extract(asked, [narrow, wide], None, lambda term: 1.0, 1)
    assert [item["citations"] for item in kept] == [["a#0"]]


def test_each_item_of_a_list_of_sentences_is_a_unit() -> None:
    items = "- Age. Bones become thinner with age. Falls add to it.\n- Sex. Women are at risk."
    assert [unit.text for unit in units(f"Some risks cannot change. These include\n{items}")] == [
        "Some risks cannot change.",
        "Age. Bones become thinner with age. Falls add to it.",
        "Sex. Women are at risk.",
    ]


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


def test_what_holds_for_others_is_no_answer() -> None:
    own = Passage("p#0", "p", 0, 0, "Paracetamol is safe for adults.", title="Paracetamol")
    assert extract("Is paracetamol safe in pregnancy?", [own], None, lambda term: 1.0, 5) == []
    assert extract("Is paracetamol safe?", [own], None, lambda term: 1.0, 5)


def test_what_something_is_is_said_first() -> None:
    text = "Asthma attacks can be severe. Asthma is a disease of the airways."
    own = Passage("a#0", "a", 0, 0, text, title="Asthma")
    [first, *_] = extract("What is asthma?", [own], None, lambda term: 1.0, 1)
    assert first["text"] == "Asthma is a disease of the airways."


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


def test_a_leaning_sentence_does_not_lean_on_another_when_its_own_was_left_out() -> None:
    text = (
        "Gout is caused by uric acid crystals. Scurvy is another disease of old seafarers. "
        "It is caused by lack of fruit."
    )
    own = Passage("g#0", "g", 0, 0, text, title="Gout")
    kept = extract("What causes gout?", [own], None, lambda term: 1.0, 5)
    assert [item["text"] for item in kept] == ["Gout is caused by uric acid crystals."]


def test_what_to_do_asks_for_care() -> None:
    own = Passage(
        "s#0", "s", 0, 0, "Sunburn is common in summer. Sunburn is cooled with wet cloths."
    )
    asked = "What should I do about sunburn?"
    told = extract(asked, [own], None, lambda term: 1.0, 5)
    assert [item["text"] for item in told] == ["Sunburn is cooled with wet cloths."]


def test_what_people_wrongly_believe_is_not_quoted() -> None:
    text = "Myths about gout\n\nGout only affects rich men. Gout needs no treatment."
    own = Passage("g#0", "g", 0, 0, text, title="Gout")
    assert extract("What is gout?", [own], None, lambda term: 1.0, 5) == []


@pytest.mark.parametrize(
    ("question", "title", "other"),
    [
        ("What are the warning signs of skin cancer?", "Breast Cancer", True),
        ("What are the symptoms of type 2 diabetes?", "Type 1 Diabetes", True),
        ("How do people get hepatitis C?", "Hepatitis B", True),
        ("What are the warning signs of skin cancer?", "Skin Cancer", False),
        ("What are the symptoms of lung cancer?", "Small cell lung cancer", False),
        ("Why does my heart skip a beat?", "Heart Palpitations", False),
        ("What is cancer?", "Breast Cancer", False),
        ("What are the signs of Parkinson's disease?", "Parkinson disease", False),
    ],
)
def test_a_sibling_of_what_was_asked_is_another_subject(
    question: str, title: str, other: bool
) -> None:
    assert other_subject(question, title) is other
