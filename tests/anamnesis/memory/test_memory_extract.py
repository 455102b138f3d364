"""What the rules keep of a user's words, and above all what they leave alone."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.memory.clauses import BEING
from anamnesis.memory.content import Accepted, Meaning, Said
from anamnesis.memory.extract import ExtractedMemory, extract_memories
from anamnesis.memory.reading import read_profile


def kept(said: str, earlier: str = "", *, answered: bool = False) -> list[str]:
    return [note.text for note in extract_memories(said, earlier, previous_answered=answered)]


@pytest.mark.parametrize(
    ("said", "short", "long"),
    [
        ("How is atrial fibrillation (AF) treated?", "AF", "atrial fibrillation"),
        ("Is COPD (chronic obstructive pulmonary disease) curable?", "COPD",
         "chronic obstructive pulmonary disease"),
        ("PE stands for pulmonary embolism.", "PE", "pulmonary embolism"),
        ("By TIA I mean transient ischaemic attack.", "TIA", "transient ischaemic attack"),
        ("GORD means gastro-oesophageal reflux disease.", "GORD",
         "gastro-oesophageal reflux disease"),
        ("We saw heart failure with preserved ejection fraction (HFpEF) there.", "HFpEF",
         "heart failure with preserved ejection fraction"),
    ],
)  # fmt: skip
def test_abbreviations_with_what_they_stand_for(said: str, short: str, long: str) -> None:
    meaning = Meaning(type="term", of=short, meaning=long)
    assert extract_memories(said) == [ExtractedMemory("question", meaning, short)]
    assert meaning.text == f"“{short}” stands for “{long}”."


@pytest.mark.parametrize(
    "said",
    [
        "AF means atrial fibrillation?",
        "Does AF mean atrial flutter?",
        "What is an MRI (scan of the head)?",
        "He lives in Paris (France).",
        "I read the leaflet (very long).",
        "AF means nothing to me.",
        "Is aspirin (A) better?",
    ],
)
def test_what_is_no_expansion_is_left_alone(said: str) -> None:
    assert kept(said) == []


@pytest.mark.parametrize(
    ("said", "clause"),
    [
        ("I have asthma, can I take aspirin?", "I have asthma"),
        ("I'm allergic to nuts. What else can I eat?", "I'm allergic to nuts"),
        ("I am not allergic to penicillin.", "I am not allergic to penicillin"),
        ("I don't have diabetes; is metformin for me?", "I don't have diabetes"),
        ("I was diagnosed with type 2 diabetes and what should I eat?",
         "I was diagnosed with type 2 diabetes"),
        ("I am 20 weeks pregnant, is ibuprofen safe?", "I am 20 weeks pregnant"),
        ("I take 5 mg of warfarin. Can I drink?", "I take 5 mg of warfarin"),
        ("I have a nut allergy.", "I have a nut allergy"),
        ("I have no known allergies.", "I have no known allergies"),
        ("Can I fly? I have had a stroke.", "I have had a stroke"),
    ],
)  # fmt: skip
def test_what_users_say_of_themselves_is_quoted(said: str, clause: str) -> None:
    assert kept(said) == [f"The user said: “{clause}”"]


@pytest.mark.parametrize(
    "said",
    [
        "Am I allergic to penicillin?",
        "I have asthma?",
        "I am allergic to penicillin, right?",
        "If I have asthma, can I take aspirin?",
        "What if I have gout, can I drink beer?",
        "Suppose I am pregnant, is it safe?",
        "I think I have asthma.",
        "I might have asthma.",
        "My doctor says I have asthma.",
        "My mother said, I have asthma.",
        "She told me: I take warfarin.",
        'It says "I have asthma" on the form.',
        "My son is allergic to nuts.",
        "I have a question about gout.",
        "I have a friend with asthma.",
        "I have so many patients with gout.",
        "I have asthma patients.",
        "I have to take aspirin, why?",
        "I have read about gout.",
        "I have never smoked.",
        "When I have asthma, what helps?",
        "Can I have asthma and gout?",
        "How do I take warfarin?",
        "I take it that gout hurts.",
        "Do I have gout, I am worried.",
        "I have no allergies, except to penicillin. What is gout?",
        "I don't have any allergies, apart from latex.",
        "I'm on warfarin, but stopped last week.",
        "I take warfarin, I stopped it last week.",
        "I was diagnosed with lupus, but that was a mistake.",
        "I take 5, or 10 mg of warfarin.",
        "My mother writes: I have diabetes.",
        "I have asthma, I think.",
        "I have lupus, I am not sure.",
        "I have gout, I suspect.",
        "I have celiac disease, I'm not certain.",
        "I have an ulcer, I hope not.",
        "I have asthma, I bet.",
        "I take warfarin - no, aspirin.",
    ],
)
def test_questions_ifs_and_hearsay_are_no_facts(said: str) -> None:
    assert kept(said) == []


@pytest.mark.parametrize("being", BEING)
def test_a_note_and_the_profile_read_the_same_adjectives(being: str) -> None:
    for clause in (f"I am {being}", f"I’m a {being}"):
        assert kept(f"{clause}, what may I eat?") == [f"The user said: “{clause}”"]
        assert [item.value for item in read_profile(clause)] == [BEING[being]]
    denied = f"I'm not {being}"
    assert kept(denied) == [f"The user said: “{denied}”"]
    assert read_profile(denied) == []


@pytest.mark.parametrize(
    "clause",
    [
        "I suffer from gout",
        "I live with epilepsy",
        "I've been taking warfarin for years",
        "I was prescribed apixaban",
        "I am currently breast-feeding",
        "I'm severely allergic to bee stings",
        "I am a 45-year-old woman with migraine",
        "I just turned 30",
        "My allergies are peanuts and shellfish",
        "Penicillin gives me hives",
    ],
)
def test_all_that_the_profile_reads_is_a_note(clause: str) -> None:
    assert read_profile(clause)
    assert kept(clause) == [f"The user said: “{clause}”"]


@pytest.mark.parametrize("said", ["I live with my parents.", "I'm using this app.", "I'm a nurse."])
def test_what_says_nothing_of_the_users_health_is_no_note(said: str) -> None:
    assert kept(said) == [] == read_profile(said)


def test_a_clause_that_the_next_one_leaves_unchanged_is_kept() -> None:
    assert kept("I'm pregnant, I take folic acid once a day, and I have asthma") == [
        "The user said: “I'm pregnant”",
        "The user said: “I take folic acid once a day”",
        "The user said: “I have asthma”",
    ]
    assert kept("Hello, I have gout: when may I drink beer?") == ["The user said: “I have gout”"]
    assert kept("I have lupus, my doctor gave me steroids, are they safe?")[0].endswith("lupus”")


def test_two_facts_of_a_sentence_are_two_memories() -> None:
    assert kept("I have asthma and I take warfarin, is aspirin safe?") == [
        "The user said: “I have asthma”",
        "The user said: “I take warfarin”",
    ]


@pytest.mark.parametrize(
    ("said", "clause"),
    [
        ("What is a normal blood sugar? Please answer in mmol/L.", "Please answer in mmol/L"),
        ("I prefer short answers.", "I prefer short answers"),
        ("What is gout, please use plain language", "please use plain language"),
        ("I'd prefer the temperature in Celsius.", "I'd prefer the temperature in Celsius"),
        ("Please do not use mg/dL.", "Please do not use mg/dL"),
    ],
)
def test_preferred_units_and_formats_are_quoted(said: str, clause: str) -> None:
    assert extract_memories(said) == [
        ExtractedMemory("question", Said(type="prefers", words=clause), clause)
    ]
    assert kept(said) == [f"The user prefers: “{clause}”"]


@pytest.mark.parametrize(
    "said",
    [
        "Should I use Celsius?",
        "Use a table?",
        "I prefer tea.",
        "Please help me.",
        "What is mmol/L?",
    ],
)
def test_what_is_no_preference_is_left_alone(said: str) -> None:
    assert kept(said) == []


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("No, I meant type 1 diabetes.", "type 1 diabetes"),
        ("sorry, I meant in children", "in children"),
        ("no - what I meant was not the flu but a cold", "not the flu but a cold"),
    ],
)
def test_a_correction_says_what_the_question_before_meant(said: str, meant: str) -> None:
    earlier = "How is diabetes treated?"
    meaning = Meaning(type="question", of=earlier, meaning=meant)
    assert extract_memories(said, earlier) == [ExtractedMemory("residual", meaning)]
    assert meaning.text == f"By “{earlier}” the user meant “{meant}”"
    assert extract_memories(said) == []


@pytest.mark.parametrize(
    "said",
    ["Thanks, that helps!", "Perfect, exactly what I needed.", "Great, thank you", "very helpful"],
)
def test_an_answer_that_the_user_was_content_with(said: str) -> None:
    accepted = Accepted(question="What is gout?")
    assert extract_memories(said, "What is gout?", previous_answered=True) == [
        ExtractedMemory("response", accepted)
    ]
    assert accepted.text == "The user was content with the answer to “What is gout?”"
    assert kept(said, "What is gout?") == kept(said, "", answered=True) == []


@pytest.mark.parametrize(
    "said",
    ["thanks", "ok", "yes", "Thanks, but that is wrong", "That helps nobody", "not helpful", ""],
)
def test_courtesy_and_complaint_are_no_acceptance(said: str) -> None:
    assert kept(said, "What is gout?", answered=True) == []


PIECES = [
    "I have asthma", "I take warfarin", "no, I meant gout", "atrial fibrillation (AF)",
    "please use kg",
    "if", "said", "?", ".", ", ", " and ", "not", "“", "That helps",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=8))
def test_every_memory_quotes_what_was_said(parts: list[str]) -> None:
    said = " ".join(parts)
    for note in extract_memories(said, "What is gout?", previous_answered=True):
        *_, last = re.findall("“([^”]*)”", note.text)
        assert " ".join(last.split()) in " ".join(said.split()) or note.kind == "response"


def test_of_real_messages_the_rules_keep_little_and_nothing_of_others() -> None:
    """Sentences of messages to a health site that begin with 'I' or 'my'; every fourth of them.

    ``own`` is 1 where the sentence says something of the writer's own health, as read without the
    rules. In the two halves 3 of 40 and 11 of 42 of these are kept, and none of 88 others.
    """
    file = Path(__file__).parent / "data" / "said_of_oneself.tsv"
    rows = [line.split("\t") for line in file.read_text("utf-8").splitlines()[1:]]
    kept = [(message, bool(extract_memories(text))) for message, text in rows]
    assert sum(found for text, found in kept if text == "1") >= 12
    assert sum(found for text, found in kept if text == "0") <= 1
