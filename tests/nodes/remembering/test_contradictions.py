"""Which memories are asked about, which one counts, and what the critic must say."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.memory.content import Content, Exchange, Inferred, Meaning, Said, Shown
from anamnesis.memory.record import Memory
from nodes.remembering.contradictions import claim_of, opposed, prevailing
from nodes.remembering.judged_memories import contradicted
from tests.fakes import FakeCritic

OLD, NEW = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)


def says(against: float | None = 0.99) -> FakeCritic:
    """A critic that finds one probability of a contradiction wherever it is asked."""
    return FakeCritic(lambda *_: (0.0, against))


def of(content: Content, created: datetime = OLD, **fields: Any) -> Memory:
    return Memory.make(
        **{"owner": "ann", "kind": "question", "content": content, "created": created, **fields}
    )


def said(words: str, created: datetime = OLD, **fields: Any) -> Memory:
    return of(Said(words=words), created, **fields)


def means(term: str, meaning: str, created: datetime = OLD) -> Memory:
    return of(Meaning(type="term", of=term, meaning=meaning), created)


def exchange(
    question: str, *statements: Shown | str, created: datetime = OLD, **fields: Any
) -> Memory:
    shown = [Shown(text=item) if isinstance(item, str) else item for item in statements]
    content = Exchange(question=question, statements=tuple(shown))
    return of(content, created, kind="exchange", **fields)


@pytest.mark.parametrize(
    ("one", "other", "possible"),
    [
        ("I have asthma", "I don't have asthma", True),
        ("I don't smoke", "I smoke ten cigarettes a day", True),
        ("I have no diabetes", "I have type 2 diabetes", True),
        ("I take 5 mg of warfarin", "I take 10 mg of warfarin", True),
        ("I am 20 weeks pregnant", "I’m 24 weeks pregnant", True),
        # To deny the one kind is not to deny the other, nor all of them.
        ("I don't have type 1 diabetes", "I have type 2 diabetes", False),
        ("I don't have type 2 diabetes", "I have diabetes", False),
        ("I have never smoked cigars", "I smoke", False),
        ("I am not allergic to nuts", "I am allergic to penicillin", False),
        ("I'm not allergic to sulfa", "I'm allergic to penicillin and sulfa", False),
        ("I'm not allergic to sulfa", "I'm allergic to penicillin, sulfa", False),
        ("I have no pain", "I have chest pain after warfarin", False),
        ("I don't have asthma", "I don't have gout", False),
        ("I take 5 mg of warfarin", "I take 10 mg of ramipril", False),
        ("I take 5 mg of warfarin on Monday", "I take 10 mg of warfarin on Tuesday", False),
        ("I take 5 mg of warfarin", "I take 5 mg of warfarin", False),
        ("I had a stroke in 2019", "I had a stroke in 2021", False),
        ("I take aspirin", "I take warfarin", False),
        ("No.", "I have asthma", False),
        ("", "", False),
    ],
)
def test_what_could_contradict(one: str, other: str, possible: bool) -> None:
    first, second = claim_of(one), claim_of(other)
    assert opposed(first, second) is possible
    assert opposed(second, first) is possible


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_statement_opposes_itself_and_the_order_is_all_one(one: str, other: str) -> None:
    first, second = claim_of(one), claim_of(other)
    assert not opposed(first, first)
    assert opposed(first, second) == opposed(second, first)


def test_the_later_word_of_a_user_counts_whatever_the_earlier_is_trusted() -> None:
    old, new = said("I have gout", trust=0.9), said("I have no gout", NEW)
    assert contradicted([new], [old, new], says()) == [(old, new)]
    assert contradicted([old], [new], says()) == [(old, new)]


def test_of_two_that_were_said_in_the_same_second_the_later_counts() -> None:
    small, large = said("I take 5 mg of warfarin"), said("I take 10 mg of warfarin")
    for first, second in ((small, large), (large, small)):
        for stored in ([first, second], [second, first]):
            assert contradicted([first, second], stored, says()) == [(first, second)]


def test_of_exchanges_and_experts_notes_the_more_trusted_counts_and_of_equals_the_later() -> None:
    pairs = [
        (exchange("A", trust=0.3), exchange("B", created=NEW)),
        (said("A", trust=0.3, scope="expert"), said("B", NEW, scope="expert")),
    ]
    for old, new in pairs:
        assert prevailing(old, new) == prevailing(new, old) == old
        same = old.changed(trust=new.trust)
        assert prevailing(same, new) == prevailing(new, same) == new


@pytest.mark.parametrize(("against", "links"), [(0.79, 0), (0.8, 1), (None, 0)])
def test_the_critic_must_be_sure(against: float | None, links: int) -> None:
    old, new = said("I have gout"), said("I have no gout", NEW)
    assert len(contradicted([new], [old], says(against))) == links


def test_the_critic_is_not_asked_about_what_cannot_contradict() -> None:
    critic = says()
    others = [said("I have gout"), said("I have gout, at least", scope="expert")]
    others += [said("I have asthma", superseded_by="0" * 32), exchange("I have asthma", "Yes.")]
    assert contradicted([said("I have no asthma", NEW)], others, critic) == []
    assert critic.asked == []


def test_exchanges_contradict_only_on_the_same_question() -> None:
    old = exchange("Is measles contagious?", "It is contagious.")
    new = exchange("Is measles contagious?", "It is red. It is not contagious.", created=NEW)
    other = exchange("Is gout contagious?", "It is contagious.")
    assert contradicted([new], [old, other], says()) == [(old, new)]


def test_the_statements_of_an_exchange_are_compared_one_by_one() -> None:
    """Also where no full stop separates them in the text of the memory."""
    question = "Is measles contagious?"
    new = exchange(question, "It is red and itchy", "It is not contagious.", created=NEW)
    critic = says()
    old = exchange(question, "It is contagious.")
    assert contradicted([new], [old], critic) == [(old, new)]
    asked = {text for pair in critic.asked for text in pair}
    assert asked == {"It is not contagious.", "It is contagious."}


def test_the_marks_of_an_exchange_state_nothing() -> None:
    critic = says()
    question, unchecked = "Is measles contagious?", Shown(text="It was checked", checked=False)
    old = exchange(question)
    mine = exchange(question, unchecked, created=NEW)
    other = exchange(question, "It was answered and checked.", created=NEW)
    assert contradicted([mine, other], [old], critic) == critic.asked == []


def test_a_question_with_quotation_marks_has_one_meaning() -> None:
    contents = [
        Meaning(type="question", of="What is a “mild” case?", meaning=what)
        for what in ("gout", "asthma")
    ]
    old, new = (
        of(item, when, kind="residual") for when, item in zip((OLD, NEW), contents, strict=True)
    )
    assert contradicted([new], [old], says(0.0)) == [(old, new)]


def test_a_term_and_a_question_have_one_meaning_and_no_critic_is_needed() -> None:
    old = means("AF", "atrial flutter")
    new = means("AF", "atrial fibrillation", NEW)
    other = means("PE", "pulmonary embolism", NEW)
    assert contradicted([new, other], [old], says(0.0)) == [(old, new)]
    meant = [
        of(Meaning(type="question", of="What is it?", meaning=what), when, kind="residual")
        for when, what in ((OLD, "gout"), (NEW, "asthma"))
    ]
    assert contradicted(meant[1:], meant, says(0.0)) == [(meant[0], meant[1])]


def test_what_is_out_of_play_takes_nothing_else_out() -> None:
    trusted = exchange("Is it safe?", "It is safe.", trust=0.9)
    new = exchange("Is it safe?", "It is not safe.", created=NEW)
    other = exchange("Is it safe?", "It is safe in children.", created=NEW, trust=0.1)
    assert contradicted([new], [trusted, other], says()) == [(new, trusted)]
    assert contradicted([], [trusted], says()) == contradicted([new], [], says()) == []


def note(text: str, created: datetime = OLD, **fields: Any) -> Memory:
    made = {"owner": "eve", "scope": "expert", "kind": "residual", "text": text, **fields}
    return Memory.make(created=created, **made)


def test_an_experts_note_counts_against_a_users_exchange_whatever_each_is_trusted() -> None:
    expert = note("Asthma is not contagious.", trust=0.1)
    kept = exchange("Is asthma contagious?", "Asthma is contagious.", created=NEW, trust=0.9)
    assert prevailing(kept, expert) is prevailing(expert, kept) is expert
    # Either may be the new one.
    assert contradicted([kept], [expert, kept], says()) == [(kept, expert)]
    assert contradicted([expert, kept], [expert, kept], says()) == [(kept, expert)]
    assert contradicted([expert], [kept], says(against=0.1)) == []
    inferred = of(Inferred(note="Asthma is contagious."), NEW, kind="residual")
    assert contradicted([inferred], [expert], says()) == [(inferred, expert)]
    assert contradicted([note("Asthma is contagious.")], [expert], says()) == []


@pytest.mark.parametrize(
    ("mine", "later", "experts"),
    [
        (
            said("Take 10 mg of warfarin"),
            said("Take 5 mg of warfarin", NEW),
            "Take 5 mg of warfarin.",
        ),
        (
            means("MS", "mitral stenosis"),
            means("MS", "multiple sclerosis", NEW),
            "“MS” stands for “multiple sclerosis”",
        ),
    ],
)
def test_what_users_say_of_themselves_and_mean_is_not_compared_with_an_experts_note(
    mine: Memory, later: Memory, experts: str
) -> None:
    critic = says()
    assert contradicted([mine], [note(experts)], critic) == critic.asked == []
    # With another memory of the user's it is.
    assert contradicted([later], [mine], critic) == [(mine, later)]
