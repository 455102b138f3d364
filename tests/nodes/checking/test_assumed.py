"""What a question takes for granted, checked against passages."""

from collections.abc import Sequence

import pytest

from anamnesis.corpus.passage import Passage
from nodes.checking.assumed import check_premise, denies
from nodes.state import Premise, Verdict
from tests.fakes import FakeCritic

CLAIM = "Antibiotics cure the flu."
DENIAL = "Antibiotics do not cure colds or the flu, which are viral."


def critic_of(table: dict[str, tuple[float, float | None]]) -> FakeCritic:
    """A critic that knows (support, contradiction) of premises; (0, 0) of the others."""
    return FakeCritic(lambda _, premise: table.get(premise, (0.0, 0.0)))


def passage(key: str, text: str, heading: str = "") -> Passage:
    return Passage(f"{key}#0", key, 0, len(text), text, heading)


def premise(verdict: Verdict = "unchecked", text: str = CLAIM, *, certain: bool = True) -> Premise:
    return {"text": text, "certain": certain, "verdict": verdict, "evidence": None}


def verdict_of(
    texts: Sequence[str], table: dict[str, tuple[float, float | None]], text: str = CLAIM
) -> str:
    passages = [passage(str(place), text) for place, text in enumerate(texts)]
    found = check_premise(premise(text=text), passages, critic_of(table), 0.7)
    assert found is not None
    return found["verdict"]


def test_a_sentence_that_denies_it_is_shown() -> None:
    text = f"The flu is a viral infection. {DENIAL} Rest helps."
    found = check_premise(premise(), [passage("flu", text)], critic_of({DENIAL: (0.1, 0.8)}), 0.7)
    assert found is not None
    assert found["verdict"] == "contradicted"
    place = found["evidence"]
    assert place is not None
    assert place["document"] == "flu#0"
    assert text[place["start"] : place["end"]] == DENIAL


def test_the_sentence_that_denies_it_most_is_shown() -> None:
    other = "Antibiotics do not cure the flu, whatever their dose."
    table = {DENIAL: (0.1, 0.6), other: (0.1, 0.9)}
    found = check_premise(
        premise(), [passage("a", DENIAL), passage("b", other)], critic_of(table), 0.7
    )
    assert found is not None
    assert found["evidence"] is not None
    assert found["evidence"]["document"] == "b#0"


@pytest.mark.parametrize(
    ("support", "contradiction", "expected"),
    [
        (0.1, 0.49, "unsupported"),
        (0.1, 0.5, "contradicted"),
        (0.5, 0.5, "contradicted"),
        (0.6, 0.5, "unsupported"),
        (0.1, None, "unsupported"),
    ],
)
def test_a_denial_is_as_likely_as_not_and_no_less_than_support(
    support: float, contradiction: float | None, expected: str
) -> None:
    assert verdict_of([DENIAL], {DENIAL: (support, contradiction)}) == expected


# Each is a sentence that a critic is apt to take for a denial, and that denies something else.
@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        # About something else.
        ("Smoking causes lung cancer.", "Lung cancer screening does not replace not smoking."),
        ("Aspirin prevents strokes.", "A person having a stroke should not be given aspirin."),
        ("Hepatitis A is contagious.", "Hepatitis C is not contagious."),
        ("Hepatitis is contagious.", "Hepatitis A is not contagious."),
        ("Type 2 diabetes is curable.", "Type 1 diabetes is not curable."),
        ("Miller syndrome is inherited.", "Marshall syndrome is not inherited."),
        ("Gout is caused by uric acid.", "Pseudogout is not caused by uric acid."),
        ("HPV 16 causes cancer.", "HPV 6 does not cause cancer."),
        ("Sugar causes tooth decay.", "Sugar alcohols do not cause tooth decay."),
        ("High blood pressure is dangerous.", "Low blood pressure is dangerous."),
        ("Garlic cures high blood pressure.", "High blood pressure has no symptoms."),
        ("Obesity causes diabetes.", "Diabetes does not cause obesity."),
        # In part, for some, or in one way.
        ("Antibiotics treat pneumonia.", "Antibiotics do not treat viral pneumonia."),
        ("Statins cause muscle pain.", "Statins do not cause muscle pain in most people."),
        ("Statins cause muscle pain.", "Statins rarely cause muscle pain."),
        ("Aspirin prevents heart attacks.", "Aspirin does not prevent all heart attacks."),
        ("Gonorrhea causes symptoms.", "Gonorrhea does not always cause symptoms."),
        ("Vaccines prevent flu.", "Vaccines do not fully prevent flu."),
        ("Honey is safe.", "Honey is not safe for infants below one year."),
        ("Flu can be treated.", "Flu cannot be treated with antibiotics."),
        ("HIV is contagious.", "HIV is not contagious by touch."),
        ("Measles spreads.", "Measles does not spread as easily."),
        ("Hepatitis B is contagious.", "Hepatitis B does not spread through hugging."),
        # What bears it out, with a negation of something else.
        ("Lack of iron causes anemia.", "Iron deficiency causes anemia."),
        ("Herpes is contagious.", "Herpes is contagious without symptoms."),
        ("HIV can be treated.", "HIV can be treated and cannot be cured."),
        ("Gout causes joint damage.", "Gout that is not treated causes joint damage."),
        ("Smoking causes cancer.", "There is no doubt that smoking causes cancer."),
        ("Vaccines do not cause autism.", "It is false that vaccines cause autism."),
        # Nothing that is said to be so.
        ("Surgery is never possible.", "If surgery is possible, it is done at once."),
        ("Gout is not contagious.", "Is gout contagious?"),
        ("Antibiotics cure colds.", "It is not known whether antibiotics cure colds."),
        ("Antibiotics cure colds.", "- Antibiotics do not cure colds."),
        ("Vaccines do not cause autism.", "“Vaccines cause autism.”"),
        ("Stress does not cause ulcers.", "Stress was thought to cause ulcers."),
        ("Aspirin treats fever.", "Do not treat fever with aspirin."),
        # Other numbers: estimates, units and labels differ.
        ("Asthma affects 25 million people.", "Asthma affects 26 million people."),
    ],
)
def test_a_sentence_that_denies_something_else_is_not_asked(claim: str, sentence: str) -> None:
    assert not denies(sentence, claim)
    assert verdict_of([sentence], {sentence: (0.0, 0.99)}, claim) == "unsupported"


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Antibiotics work against the common cold.",
         "Antibiotics do not work against colds or flu, because these are caused by viruses."),
        ("The MMR vaccine causes autism.", "The MMR vaccine does not cause autism."),
        ("Asthma is not contagious.", "Asthma is contagious."),
        ("Gout is contagious.", "Gout isn’t contagious, and neither is pseudogout."),
        ("HIV can be cured.", "HIV cannot be cured."),
        ("HIV can be cured.", "HIV can't be cured."),
        ("Glucosamine cures arthritis.", "Glucosamine does not cure or prevent arthritis."),
    ],
)  # fmt: skip
def test_a_sentence_that_says_the_opposite_of_the_same_things_is_asked(
    claim: str, sentence: str
) -> None:
    assert denies(sentence, claim)


def test_what_a_passage_supports_and_another_one_contradicts_is_not_supported() -> None:
    other = "Measles is spread through the air."
    assert verdict_of([CLAIM, other], {other: (0.0, 0.99)}) == "supported"
    said = "Flu is cured with antibiotics."
    assert verdict_of([said, other], {said: (0.8, 0.1), other: (0, 0.99)}) == "unsupported"


def test_a_myth_is_no_denial() -> None:
    myth = passage("myths", DENIAL, "Myths about the flu")
    found = check_premise(premise(), [myth], critic_of({DENIAL: (0.0, 0.9)}), 0.7)
    assert found is not None
    assert found["verdict"] == "unsupported"


def test_few_sentences_are_asked() -> None:
    critic = critic_of({})
    texts = [f"Antibiotics do not cure the flu, study {number} says." for number in range(9)]
    check_premise(premise(certain=False), [passage("x", " ".join(texts))], critic, 0.7)
    assert len(critic.asked) == 4


@pytest.mark.parametrize("verdict", ["supported", "contradicted"])
def test_what_was_settled_stays_so(verdict: Verdict) -> None:
    critic = critic_of({DENIAL: (0.0, 0.9)})
    assert check_premise(premise(verdict), [passage("flu", DENIAL)], critic, 0.7) == premise(
        verdict
    )
    assert critic.asked == []


def test_nothing_is_checked_without_a_premise_or_a_critic() -> None:
    assert check_premise(None, [passage("flu", DENIAL)], critic_of({}), 0.7) is None
    assert check_premise(premise(), [passage("flu", DENIAL)], None, 0.7) == premise()


def test_what_may_be_no_claim_is_denied_or_stays_unchecked() -> None:
    possible = premise(certain=False)
    assert (
        check_premise(possible, [passage("flu", "The flu is viral.")], critic_of({}), 0.7)
        == possible
    )
    assert check_premise(possible, [passage("flu", CLAIM)], critic_of({}), 0.7) == possible
    found = check_premise(possible, [passage("flu", DENIAL)], critic_of({DENIAL: (0.1, 0.8)}), 0.7)
    assert found is not None
    assert found["verdict"] == "contradicted"
