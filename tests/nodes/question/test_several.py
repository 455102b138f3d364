"""Several questions in one message."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import pytest

from anamnesis.models.question_sentences import (
    QuestionSentences,
    message_sentences,
    question_sentences,
)
from benchmarks.several import messages
from nodes.checking.statements import unchecked_statement
from nodes.choosing.choice import new_draft
from nodes.question.several import (
    LEAST_ASKING_JOINED,
    MOST_QUESTIONS,
    best_round,
    common_problem,
    is_open,
    merged_draft,
    question_states,
    sub_questions,
    unanswered,
)
from nodes.state import State

STORY = "My mum takes warfarin. She is 81. Can she eat spinach? And how often is it checked?"


def scripted(
    chances: dict[str, float], alike: Sequence[str] = ()
) -> Callable[..., QuestionSentences]:
    """Asks with these chances; the sentences of ``alike`` have one vector."""

    def asks(texts: Sequence[str]) -> QuestionSentences:
        places = [0 if text in alike else at + 1 for at, text in enumerate(texts)]
        found = np.array([chances.get(text, 0.0) for text in texts], np.float32)
        return QuestionSentences(found, np.eye(len(texts) + 1, dtype=np.float32)[places])

    return asks


def test_a_question_mark_ends_a_sentence_also_before_a_small_letter() -> None:
    text = "I feel sick. how long does it last? and can i eat?"
    assert list(message_sentences(text)) == [
        "I feel sick.",
        "how long does it last?",
        "and can i eat?",
    ]


def test_questions_that_and_joins_are_separated() -> None:
    assert list(message_sentences("What causes gout, and how is it treated?")) == [
        "What causes gout",
        "how is it treated?",
    ]
    assert list(message_sentences("Is it contagious and also can I swim?")) == [
        "Is it contagious",
        "can I swim?",
    ]
    for one in ("My knee hurts and is swollen.", "What are the signs and symptoms of gout?"):
        assert list(message_sentences(one)) == [one]


@pytest.mark.parametrize(
    ("first", "second", "query"),
    [
        ("What causes gout", "how is it treated?", "how is gout treated?"),
        ("What causes gout", "what drugs are there?", "gout: what drugs are there?"),
        ("How is type 2 diabetes treated", "is it serious?", "is type 2 diabetes serious?"),
        ("What is sciatica", "what can I take for pain?", "sciatica: what can I take for pain?"),
        ("What is eczema", "what causes flare-ups?", "eczema: what causes flare-ups?"),
    ],
)
def test_the_second_of_two_joined_questions_is_about_the_topic_of_the_first(
    first: str, second: str, query: str
) -> None:
    _, found = sub_questions(f"{first} and {second}", scripted({first: 1, second: 1}))
    assert found == {"question": second, "query": query}


@pytest.mark.parametrize(
    "second",
    [
        "what treatments are there for asthma?",
        "what are the treatments for hypothermia?",
        "can I start treatment for hepatitis C?",
        "how is muscle wasting diagnosed?",
        "what causes asthma?",
        "what are the side effects of ibuprofen?",
    ],
)
def test_a_joined_question_that_names_its_topic_is_not_completed(second: str) -> None:
    first = "What causes gout"
    _, found = sub_questions(f"{first} and {second}", scripted({first: 1, second: 1}))
    assert found == {"question": second, "query": second}


def test_of_joined_questions_each_needs_less_to_be_one() -> None:
    joined, apart = "What is gout", "is it bad?"
    texts = (joined, apart, f"{joined}?", "Is it bad?")
    chances = dict.fromkeys(texts, LEAST_ASKING_JOINED)
    assert len(sub_questions(f"{joined} and {apart}", scripted(chances))) == 2
    assert sub_questions(f"{joined}? Is it bad?", scripted(chances)) == []


def test_each_question_is_read_in_the_message_without_the_others() -> None:
    first, second = "Can she eat spinach?", "And how often is it checked?"
    found = sub_questions(STORY, scripted({first: 1, second: 1}))
    assert found == [
        {"question": first, "query": f"My mum takes warfarin. She is 81. {first}"},
        {"question": second, "query": f"My mum takes warfarin. She is 81. {second}"},
    ]


def test_where_nothing_is_stated_the_question_before_says_what_it_is_about() -> None:
    first, second = "What is gout?", "Is it contagious?"
    _, found = sub_questions(f"{first} {second}", scripted({first: 1, second: 1}))
    assert found == {"question": second, "query": "Is gout contagious?"}


@pytest.mark.parametrize("message", ["", "gout", "What is gout?", "I have gout. What helps?"])
def test_a_message_with_one_question_has_no_parts(message: str) -> None:
    assert sub_questions(message, scripted({"What helps?": 1, "What is gout?": 1})) == []


def test_a_single_sentence_is_not_even_read() -> None:
    def refuse(texts: Sequence[str]) -> QuestionSentences:
        raise AssertionError(texts)

    assert sub_questions("how is gout treated", refuse) == []


def test_a_question_that_is_asked_twice_is_one() -> None:
    message = "Help for gout? I am 40. What helps against gout?"
    twice = ["Help for gout?", "What helps against gout?"]
    asks = scripted(dict.fromkeys(twice, 1), alike=twice)
    assert sub_questions(message, asks) == []
    third = "Who gets arthritis?"
    asks = scripted(dict.fromkeys([*twice, third], 1), alike=twice)
    first, second = sub_questions(f"{message} {third}", asks)
    assert first == {"question": twice[1], "query": message}
    assert second == {"question": third, "query": f"I am 40. {third}"}


def test_a_subject_line_is_no_question_of_its_own() -> None:
    message = "reaction to these drugs\nIs carvedilol safe with hydralazine? I am 60."
    asks = scripted(dict.fromkeys(message_sentences(message), 1))
    assert [sub_question["question"] for sub_question in sub_questions(message, asks)] == [
        "Is carvedilol safe with hydralazine?",
        "I am 60.",
    ]


def test_the_last_of_many_questions_takes_what_is_left() -> None:
    many = [f"Is number {at} so?" for at in range(MOST_QUESTIONS + 2)]
    found = sub_questions("I count. " + " ".join(many), scripted(dict.fromkeys(many, 1)))
    apart, rest = many[: MOST_QUESTIONS - 1], " ".join(many[MOST_QUESTIONS - 1 :])
    assert [sub_question["question"] for sub_question in found] == [*apart, rest]
    assert found[-1]["query"] == f"I count. {rest}"


@pytest.mark.parametrize(
    ("message", "number"),
    [
        (STORY, 2),
        ("Cut my hand on a fence. How should I clean it? do I need a tetanus jab", 2),
        ("My baby has colic. What can we do to calm him? At what age does it get better?", 2),
        ("Is psoriasis contagious? And how is it treated?", 2),
        ("is psoriasis contagious. and how is it treated", 2),
        ("what causes gout and how is it treated", 2),
        ("is psoriasis contagious and how is it treated", 2),
        ("what is sepsis and can you die from it", 2),
        ("Hello! Can you help me? My dad has shingles. Can I catch it from him?", 0),
        ("My wife is 34 and has bruises. A cousin says it is ITP. Do people get them?", 0),
        ("Gran says sleep cures all. I take two tablets. How many may I take?", 0),
    ],
)
def test_the_shipped_layer_finds_what_asks(message: str, number: int) -> None:
    assert len(sub_questions(message, question_sentences)) == number


def state(**changes: Any) -> State:
    fields = {
        "queries": [STORY, f"{STORY} INR."],
        "hits": [],
        "read": [],
        "selected": [],
        "rounds": [],
    }
    return cast(State, {**fields, **changes})


def test_a_message_with_one_question_is_seen_as_it_is() -> None:
    alone = state(sub_questions=[])
    assert list(question_states(alone)) == [(0, alone)]
    assert unanswered(alone, []) == []


def test_each_question_sees_its_own_hits_and_what_a_round_added_to_its_query() -> None:
    asks = [
        {"question": "A?", "query": "Told. A?", "later_queries": ["Told. A? INR."]},
        {"question": "B?", "query": "Told. B?", "closed": True},
    ]
    hits = [{"id": "x", "part": 1}, {"id": "x", "part": 2}, {"id": "y", "part": 2}]
    first, second = question_states(state(sub_questions=asks, hits=hits))
    assert (first[0], second[0]) == (1, 2)
    assert first[1]["queries"] == ["Told. A?", "Told. A? INR."]
    assert second[1]["queries"] == ["Told. B?"]
    assert (is_open(first[1], 1), is_open(second[1], 2), is_open(state(), 0)) == (True, False, True)
    assert [hit["id"] for hit in second[1]["hits"]] == ["x", "y"]


def test_the_drafts_are_one_and_their_statements_name_the_question() -> None:
    one, two = (new_draft([unchecked_statement(text, ["x"])], None, None) for text in ("A.", "B."))
    prompt = {"files": ["a"], "tokens": 3, "documents": ["x"], "memories": [], "left_out": []}
    whole = merged_draft([(1, {**one, "prompt": prompt}), (2, {**two, "problem": "silent"})])
    assert [(statement["text"], statement["part"]) for statement in whole["statements"]] == [
        ("A.", 1),
        ("B.", 2),
    ]
    assert (whole["found"], whole["problem"], whole["prompt"]) == (True, None, prompt)
    assert whole["problems"] == {"2": "silent"}
    assert common_problem(whole["problems"], {1, 2}) is None
    assert (
        common_problem(whole["problems"], {2})
        == common_problem({"1": "silent", "2": "silent"}, {1})
        == "silent"
    )
    both = merged_draft([(1, {**one, "prompt": prompt}), (2, {**two, "prompt": prompt})])
    assert (both["prompt"]["tokens"], both["prompt"]["documents"]) == (6, ["x", "x"])
    assert merged_draft([(0, one)]) is one
    asks = state(
        sub_questions=[{"question": "A?", "query": "A?"}, {"question": "B?", "query": "B?"}]
    )
    assert unanswered(asks, whole["statements"][1:]) == [1]


def test_the_best_round_has_the_largest_share_then_the_most_statements() -> None:
    def a_round(score: float, supported: int) -> Any:
        return {"score": score, "statements": [{"verdict": "supported"}] * supported}

    rounds = [a_round(0.5, 1), a_round(0.6, 2), a_round(0.6, 3), a_round(0.2, 5)]
    assert best_round(rounds) is rounds[2]
    assert best_round([]) is None


def test_messages_with_two_questions_are_separated_into_them() -> None:
    """Written before the code: 21 and 22 of 24 in the two halves."""
    right = 0
    for row in messages()[::2]:
        found = [
            sub_question["question"].casefold()
            for sub_question in sub_questions(row["message"], question_sentences)
        ]
        parts = [part["question"].casefold().rstrip("?. ")[-25:] for part in row["parts"]]
        right += len(found) == 2 and all(a in b for a, b in zip(parts, found, strict=True))
    assert right >= 20
