"""A yes or a no is shown only if the combination is sure, and the critic finds it stated."""

from typing import Any

import numpy as np
import pytest

from anamnesis import ModelError
from anamnesis.models.critic import Critic
from nodes.checking.statements import unchecked_statement
from nodes.fields.passages import Cited, ReadPassage
from nodes.state import YesNo
from nodes.writing import verdicts
from nodes.writing.verdicts import CONFIRMED, answer_verdict, claim_of, left_open, verdict_of
from tests.fakes import FakeCritic

BUTTER = "should I put butter on a burn"
SAYS = [
    unchecked_statement("Cool the burn under water.", ["a"]),
    unchecked_statement("Butter must not.", ["a"]),
]


def page(yes: float = 0.0, no: float = 0.0, depends: float = 0.0) -> Cited:
    rest = max(0.0, 1 - yes - no - depends)
    polar = {"yes": yes, "no": no, "depends": depends, "open": rest}
    return {"id": "a", "relevance": 0.97, "polar": polar}


def critic(entails: float, denies: float) -> Any:
    """Finds these in the statement on butter; it is given the claim as what is judged."""
    return FakeCritic(
        lambda said, text: (entails, denies) if "Butter" in text else (0.0, 0.0), "fake"
    )


@pytest.mark.parametrize(
    ("read", "entails", "denies", "expected"),
    [
        (page(no=0.97), 0.01, 0.95, "no"),
        (page(no=0.97), 0.01, CONFIRMED - 0.01, None),  # no statement denies it
        (page(no=0.97), 0.9, 0.9, None),  # the statements disagree
        (page(yes=0.7, no=0.28), 0.01, 0.95, None),  # the reader prefers the other
        (page(yes=0.97), 0.95, 0.01, "yes"),
        (page(yes=0.97), 0.01, 0.95, None),  # the reader and the critic disagree
        (page(), 0.95, 0.01, None),  # the reader takes it for another kind of question
        (page(depends=0.6, yes=0.3), 0.9, 0.5, None),  # learned: never sure of a depends
    ],
)
def test_a_verdict_needs_the_reader_and_a_statement_that_says_it(
    read: Cited, entails: float, denies: float, expected: YesNo | None
) -> None:
    assert answer_verdict([read], BUTTER, SAYS, critic(entails, denies)) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [("Can I take Tylenol in pregnancy?", "yes"), ("Can I take Tylenol PM in pregnancy?", None)],
)
def test_a_yes_to_a_product_needs_statements_on_all_that_it_contains(
    question: str, expected: YesNo | None
) -> None:
    said = [unchecked_statement("Paracetamol can be taken in pregnancy.", ["a"])]
    judge: Any = FakeCritic(lambda claim, text: (0.95, 0.01), "fake")
    assert answer_verdict([page(yes=0.97)], question, said, judge) == expected
    assert answer_verdict([page(yes=0.97)], question, said, None) == expected
    judge = FakeCritic(lambda claim, text: (0.01, 0.95), "fake")
    assert answer_verdict([page(no=0.97)], question, said, judge) == "no"


def test_a_statement_on_another_medicine_denies_nothing_of_two_that_are_named() -> None:
    said = [
        unchecked_statement("Ibuprofen should not be taken with aspirin.", ["a"]),
        unchecked_statement("Ibuprofen may be taken with paracetamol.", ["a"]),
    ]
    judge: Any = FakeCritic(
        lambda claim, text: (0.0, 0.95) if "aspirin" in text else (0.95, 0.0), "fake"
    )
    both = "Can I take ibuprofen with paracetamol?"
    assert answer_verdict([page(yes=0.97)], both, said, judge) == "yes"
    assert answer_verdict([page(yes=0.97)], "Can I take ibuprofen?", said, judge) is None


@pytest.mark.parametrize("asked", ["Is it ok to take both?", "is it safe to take both"])
def test_what_is_asked_to_be_permitted_is_judged_as_something_that_one_can_do(asked: str) -> None:
    assert claim_of(asked) == "I can take both."


def test_what_holds_from_a_certain_time_is_no_plain_no() -> None:
    """With the figures of 'Shingles is no longer contagious once the blisters …'."""
    read = page(yes=0.55, no=0.42)
    assert answer_verdict([read], "is shingles contagious", SAYS, critic(0.4, 0.9)) is None


def test_a_less_relevant_passage_gives_no_verdict() -> None:
    """As one on basilar migraine, for 'are migraines hereditary'."""
    read: Cited = {**page(no=0.97), "relevance": 0.79}
    assert answer_verdict([read], BUTTER, SAYS, critic(0.01, 0.95)) is None


def test_depends_needs_the_same_probability() -> None:
    found = verdicts.CriticJudgement(0.9, 0.9)
    chances = {"yes": 0.05, "no": 0.05, "depends": 0.9, "open": 0.0}
    assert verdict_of(chances, found) == "depends"
    assert verdict_of({**chances, "depends": 0.84}, found) is None


def test_yes_and_no_mirror_each_other() -> None:
    yes, no = (verdicts.probabilities([[a, b, 0, -2, 2, c, d]])[0] for a, b, c, d in (
        (3, -3, 2, -2), (-3, 3, -2, 2)
    ))  # fmt: skip
    assert yes[0] == pytest.approx(no[1], abs=0.01)
    assert yes[1] == pytest.approx(no[0], abs=0.01)
    np.testing.assert_allclose(yes.sum(), 1, rtol=1e-5)


@pytest.mark.parametrize("other", [None, FakeCritic(lambda *_: 0.0, "alike", "similarity")])
def test_without_an_entailment_model_the_reader_decides(other: Critic | None) -> None:
    assert answer_verdict([page(no=0.9)], BUTTER, SAYS, other) == "no"
    assert answer_verdict([page(no=0.7)], BUTTER, SAYS, other) is None


@pytest.mark.parametrize(
    ("question", "claims"),
    [
        ("Is gout hereditary?", ["Gout is hereditary."]),
        (f"{BUTTER}?", ["I should put butter on a burn."]),
        ("I have read a lot on the web. Is gout hereditary?", ["Gout is hereditary."]),
        # No rule makes a statement of it, and that something is ok is judged in two forms.
        ("butter on burns ok?", ["butter on burns ok", "butter on burns can be used"]),
    ],
)
def test_the_critic_judges_the_sentence_that_asks_which_is_found_once(
    question: str, claims: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    found = verdicts.claim_of

    def claim_of(text: str) -> str:
        asked.append(text)
        return found(text)

    monkeypatch.setattr(verdicts, "claim_of", claim_of)
    judge = FakeCritic(lambda said, text: 0.5, "fake")

    answer_verdict([page(no=0.97)], question, SAYS, judge)

    assert judge.asked == [(claim, item["text"]) for claim in claims for item in SAYS]
    assert asked == [question]


@pytest.mark.parametrize(("as_used", "expected"), [(0.1, None), (0.95, "no")])
def test_what_is_fine_is_denied_only_if_it_cannot_be_used_either(
    as_used: float, expected: YesNo | None
) -> None:
    def denied(claim: str, text: str) -> tuple[float, float]:
        denies = as_used if "can be used" in claim else 0.95
        return (0.01, denies) if "Butter" in text else (0.0, 0.0)

    judge = FakeCritic(denied, "fake")
    assert answer_verdict([page(no=0.97)], "butter on burns ok?", SAYS, judge) == expected


def test_a_critic_that_fails_confirms_nothing() -> None:
    def fail(said: str, text: str) -> tuple[float, float]:
        raise ModelError("out of reach")

    assert answer_verdict([page(no=0.97)], BUTTER, SAYS, FakeCritic(fail, "fake")) is None


def test_an_unanswered_question_is_left_open_if_it_asks_for_a_yes_or_a_no() -> None:
    read: ReadPassage = {"id": "a", "relevance": 0.1, "start": 0, "end": 1}
    asks: ReadPassage = {**read, "polar": page(yes=0.6)["polar"]}
    other: ReadPassage = {**read, "polar": page(yes=0.2)["polar"]}
    assert left_open([asks, other])
    assert not left_open([other, asks])
    assert not left_open([{**asks, "relevance": 0.6}])  # it may say so
    assert not left_open([read])  # a reader that does not say
    assert not left_open([])


@pytest.mark.parametrize(
    ("question", "expected"), [("a 2 year old", None), ("a 3 month old", "no")]
)
def test_an_age_limit_that_leaves_out_the_age_asked_about_gives_no_verdict(
    question: str, expected: YesNo | None
) -> None:
    says = [unchecked_statement("Butter, not for babies under 1 year.", ["a"])]
    asked = f"can I give {question} butter"
    assert answer_verdict([page(no=0.97)], asked, says, critic(0.01, 0.95)) == expected


@pytest.mark.parametrize(
    ("asks", "expected"),
    [
        ("Is that ok?", None),
        ("Can she?", None),
        ("Is butter ok?", "no"),
        ("Is it ok for burns?", "no"),
    ],
)
def test_a_question_that_asks_by_a_reference_alone_gets_no_verdict(
    asks: str, expected: YesNo | None
) -> None:
    asked = f"I put butter on a burn. {asks}"
    assert answer_verdict([page(no=0.97)], asked, SAYS, critic(0.01, 0.95)) == expected


@pytest.mark.parametrize(
    ("claim", "forms"),
    [
        (
            "Gaviscon ok when is breastfeeding.",
            ["Gaviscon can be used when is breastfeeding."],
        ),
        ("Aspirin is safe for a headache.", ["Aspirin can be used for a headache."]),
        ("St John's wort with fluoxetine ok", ["St John's wort with fluoxetine can be used"]),
        ("4000 mg is a safe dose.", []),
        ("My baby is alright if she sleeps 14 hours.", []),
        ("I am ok to fly.", []),
        ("It is not safe to drive.", []),
        ("One glass would be ok.", []),
        ("Gout is hereditary.", []),
    ],
)
def test_only_what_can_be_used_has_a_second_form(claim: str, forms: list[str]) -> None:
    assert verdicts.as_usable(claim) == forms
