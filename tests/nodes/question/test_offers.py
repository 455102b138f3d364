import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.starter import read_starter
from nodes.fields.turns import Offer, Turn
from nodes.question import offers
from nodes.question.offers import Offered, asks_nothing, offered_by
from tests.data_sets import messages

CHOICE = Offered(
    [Offer("Gout", "Gout: What helps?"), Offer("Lupus nephritis", "Lupus nephritis: What helps?")]
)


def accepted_offer(message: str, reply: str) -> str | None:
    return offers.accepted_offer(message, offered_by(Turn("", reply)).offers)


def declined(message: str, reply: str) -> bool:
    return offers.declined(message, offered_by(Turn("", reply)))


OFFER = "Gout hurts. Would you like to know how gout is treated?"
TWO = "Would you like to hear about the symptoms or the treatment of gout?"


@pytest.mark.parametrize(
    "said",
    [
        "yes", "Yes!", "yes please", "Yes, please.", "sure, go on", "ok, tell me", "please do",
        "yeah", "OK", "why not", "Yes, I would like that", "Yes, thank you",
    ],
)  # fmt: skip
def test_plain_agreement_asks_what_was_offered(said: str) -> None:
    assert accepted_offer(said, OFFER) == "How is gout treated?"
    assert not declined(said, OFFER)


@pytest.mark.parametrize(
    "said",
    [
        "", "no", "thanks", "yes, but in children?", "yes or no?", "yes I have gout", "please stop",
        "how?", "not yet", "ok, what is asthma?", "I would not",
    ],
)  # fmt: skip
def test_whatever_else_is_said_is_no_agreement(said: str) -> None:
    assert accepted_offer(said, OFFER) is None


@pytest.mark.parametrize(
    ("offer", "question"),
    [
        (
            "Shall I explain the side effects of metformin?",
            "Explain the side effects of metformin",
        ),
        ("Do you want me to list the symptoms?", "What are the symptoms?"),
        ("I can also tell you about gout if you like.", "Tell me about gout"),
        ("If you like, I can explain how an attack begins.", "Explain how an attack begins"),
        ("Let me know if you'd like to know more about its causes.", "Tell me about its causes"),
        ("Would you like more information on diet?", "Tell me about diet"),
        ("Are you interested in the treatment?", "Tell me about the treatment"),
        ("Would you like to know more?", "Tell me about it"),
        ("Would you like to know when you should see a doctor?", "When should I see a doctor?"),
        ("Do you want to know what the symptoms are?", "What are the symptoms?"),
        ("Would you like to know what causes gout?", "What causes gout?"),
        ("Would you like to know which foods are bad?", "Which foods are bad?"),
        ("Would you like to know which foods you should avoid?", "Which foods should I avoid?"),
        ("Shall I explain whether gout is hereditary?", "Is gout hereditary?"),
        (
            "Would you like to know how to lower your blood pressure?",
            "How to lower my blood pressure?",
        ),
        (
            "Would you like to know how common gout is in men who drink?",
            "How common is gout in men who drink?",
        ),
        ("I can explain the diet. Would you like that?", "Explain the diet"),
        ("Would you like to know how gout is treated or prevented?",
         "How is gout treated or prevented?"),
        (
            "Would you like to know more about gout, or is there something else?",
            "Tell me about gout",
        ),
        ("Gout hurts [1]\nShall I list the causes?", "What are the causes?"),
    ],
)  # fmt: skip
def test_the_offers_words_become_a_question(offer: str, question: str) -> None:
    assert accepted_offer("yes please", offer) == question
    assert declined("no thanks", offer)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Gout hurts.",
        "Do you have gout?",
        "I can only say what the documents say.",
        "I can explain the diet.",
        "Would you like to know how gout is treated? Ask your doctor first.",
        "Shall I call a doctor?",
        "Would you like to talk to someone?",
        "Do you want to lose weight?",
    ],
)
def test_without_an_offer_a_yes_and_a_no_mean_nothing(reply: str) -> None:
    assert accepted_offer("yes", reply) is None
    assert not declined("no", reply)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("yes", "Tell me about the symptoms of gout and the treatment of gout"),
        ("both please", "Tell me about the symptoms of gout and the treatment of gout"),
        ("the second", "Tell me about the treatment of gout"),
        ("Yes, the second one please", "Tell me about the treatment of gout"),
        ("the former", "Tell me about the symptoms of gout"),
        ("the latter", "Tell me about the treatment of gout"),
        ("The treatment", "Tell me about the treatment of gout"),
        ("symptoms please", "Tell me about the symptoms of gout"),
        ("gout", None),
        ("the third", None),
        ("not the treatment", None),
        ("the treatment in children", None),
        ("what is the treatment?", None),
        ("I had symptoms for a second", None),
    ],
)
def test_of_two_things_both_or_one_are_asked_for(said: str, question: str | None) -> None:
    assert accepted_offer(said, TWO) == question


def test_two_questions_are_offered_as_two() -> None:
    offer = "Shall I explain how gout is treated or how it is prevented?"
    assert accepted_offer("yes", offer) == "How is gout treated and how is it prevented?"
    assert accepted_offer("the second one", offer) == "How is it prevented?"
    mixed = "Shall I explain the symptoms or list the treatments?"
    assert accepted_offer("treatments", mixed) == "What are the treatments?"


@pytest.mark.parametrize(
    "said", ["no", "No thanks.", "no thank you", "nope", "not now", "No, that’s all, thank you"]
)
def test_a_no_to_an_offer_is_seen(said: str) -> None:
    assert declined(said, OFFER)
    assert declined(said, "Gout hurts. Is there anything else?")


@pytest.mark.parametrize(
    "said", ["", "thanks", "ok", "no fever", "no, the diet", "no but what about children?"]
)
def test_whatever_else_is_said_is_no_refusal(said: str) -> None:
    assert not declined(said, OFFER)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("the first", "Gout: What helps?"),
        ("lupus", "Lupus nephritis: What helps?"),
        ("gout please", "Gout: What helps?"),
        ("both", "Gout and Lupus nephritis: What helps?"),
        ("asthma", None),
        ("What is lupus?", None),
    ],
)
def test_a_topic_that_a_reply_asks_about_is_chosen_by_its_place_or_name(
    said: str, question: str | None
) -> None:
    assert offers.accepted_offer(said, CHOICE.offers) == question
    assert not asks_nothing(said, CHOICE)


@given(st.text(max_size=60), st.text(max_size=120))
def test_nothing_is_both_agreed_to_and_declined(said: str, reply: str) -> None:
    for last in (reply, OFFER, TWO):
        assert accepted_offer(said, last) is None or not declined(said, last)


@given(st.lists(st.sampled_from("the a of is or , how what you to list about ?".split())))
def test_an_offer_of_odd_words_is_read_without_error(words: list[str]) -> None:
    asked = accepted_offer("yes", f"Would you like to know {' '.join(words)}")
    assert asked is None or asked.strip()


def test_the_questions_of_the_starter_corpus_come_back_from_an_offer() -> None:
    pairs = []
    for asked in (record.question for record in read_starter()):
        if found := re.fullmatch(r"What (is|are) ((?:the|a|an) (?:(?! and ).)+)\?", asked):
            pairs.append((asked, f"what {found[2]} {found[1]}"))
        elif found := re.fullmatch(r"(How|When) (is|are|can) ((?:\w+ ){1,3}?)(\w+ed)\?", asked):
            pairs.append((asked, f"{found[1].lower()} {found[3]}{found[2]} {found[4]}"))
        elif re.match(r"(What|Who) (causes|raises|helps|makes|increases) ", asked):
            pairs.append((asked, asked[0].lower() + asked[1:].rstrip("?")))
    assert len(pairs) > 100
    right = [
        accepted_offer("Yes, please.", f"Rest helps [1]. Would you like to know {offer}?") == asked
        for asked, offer in pairs
    ]
    assert all(right)


def test_no_message_to_a_health_site_agrees_to_an_offer_or_declines_one() -> None:
    for text in [message["text"] for message in messages()[::2]]:
        assert accepted_offer(text, TWO) is None, text
        assert not asks_nothing(text, offered_by(Turn("", TWO))), text
