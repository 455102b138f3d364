"""The user's own words as statements."""

from typing import Any

import pytest

from anamnesis.memory.content import Said
from anamnesis.memory.matching import MatchedMemory
from anamnesis.memory.record import Memory
from nodes.fields.recalled import UserQuote
from nodes.remembering import own_words
from nodes.remembering.own_words import SOURCE, quotes_of_user, statements_of_quotes
from tests.fakes import HashEmbedder

ASKS = "What am I allergic to?"


def quote(text: str, words: str, **more: Any) -> UserQuote:
    given: Any = {"id": "m", "created": "2026-05-04T08:00:00+00:00", "notes": [], **more}
    return {**given, "text": text, "words": words}


def test_a_quotation_cites_the_message_that_it_is_from() -> None:
    words = "Hello. I take metformin. Is that ok?"
    asked, said = quote("Is that ok?", words), quote("I take metformin.", words)
    statements, [page] = statements_of_quotes([asked, said])
    assert [item["text"] for item in statements] == [
        "You asked on 4 May 2026: “Is that ok?”.",
        "You said on 4 May 2026: “I take metformin”.",
    ]
    assert (page.text, page.source) == (words, SOURCE)
    for item, quoted in zip(statements, (asked, said), strict=True):
        span = item["evidence"]
        assert span is not None
        assert page.text[span["start"] : span["end"]] == quoted["text"]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions count as ones about the user's record, and words are compared by themselves."""
    monkeypatch.setattr(own_words, "about_own_record", lambda question: float("I" in question))
    monkeypatch.setattr(own_words, "load_embedder", lambda _: HashEmbedder())


def near(*memories: Memory) -> list[MatchedMemory]:
    return [MatchedMemory(item, 0.9, 0.0, 0.9 - at / 10) for at, item in enumerate(memories)]


def memory(kind: str, text: str, **more: Any) -> Memory:
    return Memory.make(owner="ann", kind=kind, text=text, **more)


def said(words: str, **more: Any) -> Memory:
    return Memory.make(owner="ann", kind="question", content=Said(words=words), **more)


def texts(found: list[UserQuote]) -> list[str]:
    return [item["text"] for item in found]


@pytest.mark.usefixtures("asked")
def test_the_users_statements_are_quoted_and_not_what_others_wrote() -> None:
    exchange = memory(
        "exchange", "What helps?\nRest.", words="I am allergic to nuts. Rest helps. What helps me?"
    )
    expert = said("I am allergic to eggs", scope="expert")
    found = texts(quotes_of_user(ASKS, near(exchange, expert, said("I am allergic to milk"))))
    assert sorted(found) == ["I am allergic to milk", "I am allergic to nuts."]


@pytest.mark.usefixtures("asked")
def test_another_question_is_not_answered_by_the_users_words() -> None:
    words = said("I am allergic to milk")
    assert quotes_of_user("what causes allergies?", near(words)) == []
    assert quotes_of_user(ASKS, []) == []


@pytest.mark.usefixtures("asked")
def test_an_entry_of_the_profile_is_quoted_once_in_the_users_words() -> None:
    words = "I am allergic to milk."
    entry = memory("profile", "allergy: milk", words=words)
    earlier = said("I am allergic to milk", created="2026-01-02T08:00:00Z")
    assert texts(quotes_of_user(ASKS, near(earlier), lambda: [entry])) == [words]
    wrong = entry.changed(rating="bad")
    assert texts(quotes_of_user(ASKS, [], lambda: [wrong])) == []


@pytest.mark.usefixtures("asked")
def test_words_that_contradict_each_other_are_both_quoted_with_a_note() -> None:
    one = said("I am a woman", created="2026-05-04T08:00:00Z")
    other = said("I am a man", created="2026-01-02T08:00:00Z")
    first, second = quotes_of_user("Am I a man or a woman?", near(one, other))
    [note] = first["notes"]
    assert "2 January 2026 (“I am a man”) and on 4 May 2026 (“I am a woman”)" in note
    assert second["notes"] == []
