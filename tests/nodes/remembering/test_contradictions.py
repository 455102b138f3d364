"""Which memories are asked about, which one counts, and what the critic must say."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.memory.content import Exchange, Meaning, Shown
from anamnesis.memory.record import Memory
from nodes.remembering.contradictions import claim_of, opposed, prevailing
from nodes.remembering.judged_memories import contradicted
from tests.fakes import FakeCritic

OLD, NEW = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)


def says(against: float | None = 0.99) -> FakeCritic:
    """A critic that finds one probability of a contradiction wherever it is asked."""
    return FakeCritic(lambda *_: (0.0, against))


def said(words: str, created: datetime = OLD, **fields: Any) -> Memory:
    made = {"owner": "ann", "kind": "question", "text": f"The user said: “{words}”", **fields}
    return Memory.make(created=created, **made)


def exchange(text: str, created: datetime = OLD, **fields: Any) -> Memory:
    return said("", created, kind="exchange", text=text, **fields)


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
    for fields in ({"kind": "exchange"}, {"scope": "expert"}):
        old, new = said("A", trust=0.3, **fields), said("B", NEW, **fields)
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
    others += [said("I have asthma", superseded_by="0" * 32), exchange("I have asthma\nYes.")]
    assert contradicted([said("I have no asthma", NEW)], others, critic) == []
    assert critic.asked == []


def test_exchanges_contradict_only_on_the_same_question() -> None:
    old = exchange("Is measles contagious?\nIt is contagious.")
    new = exchange("Is measles contagious?\nIt is red. It is not contagious.", NEW)
    other = exchange("Is gout contagious?\nIt is contagious.")
    assert contradicted([new], [old, other], says()) == [(old, new)]


def test_the_statements_of_an_exchange_are_compared_one_by_one() -> None:
    """Also where no full stop separates them in the text of the memory."""
    shown = Shown(text="It is red and itchy"), Shown(text="It is not contagious.")
    content = Exchange(question="Is measles contagious?", statements=shown)
    new = exchange(content.text, NEW, content=content)
    critic = says()
    old = exchange("Is measles contagious?\nIt is contagious.")
    assert contradicted([new], [old], critic) == [(old, new)]
    asked = {text for pair in critic.asked for text in pair}
    assert asked == {"It is not contagious.", "It is contagious."}


def test_the_marks_of_an_exchange_state_nothing() -> None:
    critic = says()
    old = exchange("Is measles contagious?\nThis was not answered.")
    mine = exchange("Is measles contagious?\nIt was checked (not checked)", NEW)
    other = exchange("Is measles contagious?\nIt was answered and checked.", NEW)
    assert contradicted([mine, other], [old], critic) == critic.asked == []


def test_a_question_with_quotation_marks_has_one_meaning() -> None:
    contents = [
        Meaning(type="question", of="What is a “mild” case?", meaning=what)
        for what in ("gout", "asthma")
    ]
    old, new = (
        said("", when, kind="residual", text=item.text, content=item)
        for when, item in zip((OLD, NEW), contents, strict=True)
    )
    assert contradicted([new], [old], says(0.0)) == [(old, new)]


def test_a_term_and_a_question_have_one_meaning_and_no_critic_is_needed() -> None:
    old = said("", text="“AF” stands for “atrial flutter”.")
    new = said("", NEW, text="“AF” stands for “atrial fibrillation”.")
    other = said("", NEW, text="“PE” stands for “pulmonary embolism”.")
    assert contradicted([new, other], [old], says(0.0)) == [(old, new)]
    meant = [
        said("", when, kind="residual", text=f"By “What is it?” the user meant “{what}”")
        for when, what in ((OLD, "gout"), (NEW, "asthma"))
    ]
    assert contradicted(meant[1:], meant, says(0.0)) == [(meant[0], meant[1])]


def test_what_is_out_of_play_takes_nothing_else_out() -> None:
    trusted = exchange("Is it safe?\nIt is safe.", trust=0.9)
    new = exchange("Is it safe?\nIt is not safe.", NEW)
    other = exchange("Is it safe?\nIt is safe in children.", NEW, trust=0.1)
    assert contradicted([new], [trusted, other], says()) == [(new, trusted)]
    assert contradicted([], [trusted], says()) == contradicted([new], [], says()) == []


def note(text: str, created: datetime = OLD, **fields: Any) -> Memory:
    return said("", created, owner="eve", scope="expert", kind="residual", text=text, **fields)


def test_an_experts_note_counts_against_a_users_exchange_whatever_each_is_trusted() -> None:
    expert = note("Asthma is not contagious.", trust=0.1)
    kept = exchange("Is asthma contagious?\nAsthma is contagious.", NEW, trust=0.9)
    assert prevailing(kept, expert) is prevailing(expert, kept) is expert
    # Either may be the new one.
    assert contradicted([kept], [expert, kept], says()) == [(kept, expert)]
    assert contradicted([expert, kept], [expert, kept], says()) == [(kept, expert)]
    assert contradicted([expert], [kept], says(against=0.1)) == []
    inferred = said("", NEW, kind="residual", text="Inferred: Asthma is contagious.")
    assert contradicted([inferred], [expert], says()) == [(inferred, expert)]
    assert contradicted([note("Asthma is contagious.")], [expert], says()) == []


@pytest.mark.parametrize(
    ("own", "experts"),
    [
        ("The user said: “Take 10 mg of warfarin”", "Take 5 mg of warfarin."),
        ("“MS” stands for “mitral stenosis”", "“MS” stands for “multiple sclerosis”"),
    ],
)
def test_what_users_say_of_themselves_and_mean_is_not_compared_with_an_experts_note(
    own: str, experts: str
) -> None:
    mine, critic = said("", text=own), says()
    assert contradicted([mine], [note(experts)], critic) == critic.asked == []
    # With another memory of the user's it is.
    later = said("", NEW, text=own.replace("10", "5").replace("mitral stenosis", "multiple"))
    assert contradicted([later], [mine], critic) == [(mine, later)]
