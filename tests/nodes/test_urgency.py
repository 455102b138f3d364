import pytest

from nodes.urgency import urgency


@pytest.mark.parametrize(
    "question",
    [
        "I have crushing chest pain and my left arm feels numb",
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
    ],
)
def test_a_present_emergency_of_a_person_is_urgent(question: str) -> None:
    assert urgency(question) == "medical"


@pytest.mark.parametrize(
    "question",
    [
        "I want to kill myself",
        "I feel suicidal",
        "sometimes I think about ending my life",
        "I don't want to be alive anymore",
        "I keep hurting myself",
    ],
)
def test_words_of_self_harm_are_urgent(question: str) -> None:
    assert urgency(question) == "self-harm"


@pytest.mark.parametrize(
    "question",
    [
        "What are the symptoms of a heart attack?",
        "What causes chest pain?",
        "What are the signs of a stroke?",
        "How is anaphylaxis treated?",
        "What is a febrile seizure?",
        "I had chest pain two years ago, can it come back?",
        "What are the symptoms of asthma?",
        "What happens in an opioid overdose?",
        "Can aspirin prevent a heart attack?",
        "What is suicidal ideation?",
        "How do I treat a nosebleed?",
        "",
    ],
)
def test_a_question_of_knowledge_is_not_urgent(question: str) -> None:
    assert urgency(question) is None
