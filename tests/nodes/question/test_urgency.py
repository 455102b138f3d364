import pytest

from nodes.question.urgency import red_flag
from tests.data_sets import messages


@pytest.mark.parametrize(
    "question",
    [
        "I have crushing chest pain and my left arm feels numb",
        "crushing chest pain",
        "Severe chest pain!",
        "chest pain and sweating",
        "chest pain with left arm pain",
        "sudden weakness on one side",
        "face drooping and slurred speech",
        "unconscious, not breathing",
        "My chest hurts and I can't breathe",
        "my husband collapsed and is unresponsive",
        "My son swallowed a battery, what should I do?",
        "I took too many sleeping pills",
        "her face is drooping and her speech is slurred, slurring her words",
        "I’m coughing up blood",
        "My baby is turning blue",
        "Should I worry? my throat is swelling after a bee sting",
        "he is having a seizure",
        "What should I do, my wife is having a stroke",
        "The bleeding won't stop, please help me",
        "My daughter drank some bleach",
        "I suddenly have the worst headache of my life",
        "I have a fever and a stiff neck",
        "I think I'm having a heart attack",
        "my dad collapsed and isn't responding",
        "I took 30 paracetamol tablets",
        "My son swallowed a handful of pills",
        "I'm having trouble breathing",
        "can't breathe",
        "my lips are blue and I am short of breath",
        "suddenly can't see out of my left eye",
        "My baby has a fever and a rash that doesn't fade when pressed",
        "My 2 month old has a fever of 39",
        "I'm pregnant and bleeding",
        "I was bitten by a snake",
        "my grandmother can't move her right side",
        "she fell from a tree and can not feel her legs",
        "grandfather unconscious after a fall",
        "my brother looks blue",
        "he will not wake up",
        "how do I stop the bleeding, it's spurting from my arm",
        "Is it dangerous that my son swallowed a battery?",
    ],
)
def test_a_present_emergency_of_a_person_is_urgent(question: str) -> None:
    assert red_flag(question) == "medical"


@pytest.mark.parametrize(
    "question",
    [
        "I want to kill myself",
        "I feel suicidal",
        "sometimes I think about ending my life",
        "I don't want to be alive anymore",
        "I keep hurting myself",
        "I've been thinking about suicide",
        "I'm going to end it all",
        "my friend says he wants to kill himself",
    ],
)
def test_words_of_self_harm_are_urgent(question: str) -> None:
    assert red_flag(question) == "self-harm"


@pytest.mark.parametrize(
    "question",
    [
        "What are the symptoms of a heart attack?",
        "What causes chest pain?",
        "severe chest pain causes",
        "chest pain",
        "chest pain and anxiety",
        "Severe asthma",
        "severe headaches in children",
        "unconscious bias in medicine",
        "choking hazards for toddlers",
        "What are the signs of a stroke?",
        "How is anaphylaxis treated?",
        "What is a febrile seizure?",
        "I had chest pain two years ago, can it come back?",
        "What are the symptoms of asthma?",
        "What happens in an opioid overdose?",
        "Can aspirin prevent a heart attack?",
        "What is suicidal ideation?",
        "How do I treat a nosebleed?",
        "I hurt myself playing football, how is a sprain treated?",
        "I'm going to die someday, how can I live longer?",
        "I am having a stroke risk assessment, what is it?",
        "I took 2 tablets of ibuprofen, can I take more?",
        "I can't lift my arm above my shoulder",
        "I can't talk to my doctor until Monday, what helps against gout?",
        "Can depression make people suicidal?",
        "",
    ],
)
def test_a_question_of_knowledge_is_not_urgent(question: str) -> None:
    assert red_flag(question) is None


def test_few_harmless_messages_have_a_red_flag_and_emergencies_have_more() -> None:
    """The words find few of the emergencies that people describe; the reader finds the others.

    In the two halves of all: 17 of 175 and 24 of 172 emergencies; 8 of 407 and 12 of 414 others.
    """
    chosen = messages()[::2]
    emergencies, routine = (
        [red_flag(message["text"]) is not None for message in chosen if message["level"] == level]
        for level in ("emergency", "routine")
    )
    assert sum(emergencies) > 0.08 * len(emergencies)
    assert sum(routine) < 0.04 * len(routine)
