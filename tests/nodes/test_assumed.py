"""What a question takes for granted, checked against passages."""

from collections.abc import Sequence

import pytest

from corpus.passage import Passage
from models.critic import Support
from nodes.assumed import checked
from nodes.state import Premise, Verdict

CLAIM = "Antibiotics cure the flu."
DENIAL = "Antibiotics do not cure the flu."


class Told:
    """A critic that knows (support, contradiction) of premises; (0, 0) of the others."""

    name = "told"
    method = "entailment"

    def __init__(self, table: dict[str, tuple[float, float | None]]) -> None:
        self.table = table
        self.asked: list[str] = []

    def judge(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        self.asked += [text for own in premises for text in own]
        return [
            [Support(*self.table.get(text, (0.0, 0.0)), 0, len(text)) for text in own]
            for own in premises
        ]


def passage(key: str, text: str, heading: str = "") -> Passage:
    return Passage(f"{key}#0", key, 0, len(text), text, heading)


def premise(verdict: Verdict = "unchecked", text: str = CLAIM, *, plain: bool = True) -> Premise:
    return {"text": text, "plain": plain, "verdict": verdict, "evidence": None}


def verdict_of(
    texts: Sequence[str], table: dict[str, tuple[float, float | None]], text: str = CLAIM
) -> str:
    passages = [passage(str(place), own) for place, own in enumerate(texts)]
    found = checked(premise(text=text), passages, Told(table), 0.7)
    assert found is not None
    return found["verdict"]


def test_a_sentence_that_denies_it_is_shown() -> None:
    text = f"The flu is a viral infection. {DENIAL} Rest helps."
    found = checked(premise(), [passage("flu", text)], Told({DENIAL: (0.1, 0.8)}), 0.7)
    assert found is not None
    assert found["verdict"] == "contradicted"
    place = found["evidence"]
    assert place is not None
    assert place["document"] == "flu#0"
    assert text[place["start"] : place["end"]] == DENIAL


def test_the_sentence_that_denies_it_most_is_shown() -> None:
    other = "The flu has no cure, antibiotics least of all."
    table = {DENIAL: (0.1, 0.6), other: (0.1, 0.9)}
    found = checked(premise(), [passage("a", DENIAL), passage("b", other)], Told(table), 0.7)
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


def test_a_sentence_on_something_else_denies_nothing_and_is_not_asked() -> None:
    # A critic finds contradictions between any two topics.
    other = "The flu vaccine is given every year."
    assert verdict_of([other], {other: (0.0, 0.99)}) == "unsupported"


def test_what_another_passage_bears_out_is_denied_by_a_sentence_of_the_same_words() -> None:
    assert verdict_of([CLAIM, DENIAL], {DENIAL: (0.0, 0.2)}) == "supported"
    both = [
        Passage(f"{key}#0", key, 0, len(text), text, focus="Flu")
        for key, text in (("a", CLAIM), ("b", DENIAL))
    ]
    found = checked(premise(), both, Told({}), 0.7)
    assert found is not None
    assert found["verdict"] == "contradicted"
    assert found["evidence"] is not None
    assert found["evidence"]["document"] == "b#0"


def test_a_myth_is_no_denial() -> None:
    own = passage("myths", DENIAL, "Myths about the flu")
    found = checked(premise(), [own], Told({DENIAL: (0.0, 0.9)}), 0.7)
    assert found is not None
    assert found["verdict"] == "unsupported"


def test_few_sentences_are_asked() -> None:
    critic = Told({})
    texts = [f"Antibiotics cure the flu in study {number}." for number in range(9)]
    checked(premise(), [passage("x", " ".join(texts))], critic, 0.7)
    assert len(critic.asked) == 1 + 4  # the passage, and the nearest sentences


@pytest.mark.parametrize("verdict", ["supported", "contradicted"])
def test_what_was_settled_stays_so(verdict: Verdict) -> None:
    critic = Told({DENIAL: (0.0, 0.9)})
    assert checked(premise(verdict), [passage("flu", DENIAL)], critic, 0.7) == premise(verdict)
    assert critic.asked == []


def test_nothing_is_checked_without_a_premise_or_a_critic() -> None:
    assert checked(None, [passage("flu", DENIAL)], Told({}), 0.7) is None
    assert checked(premise(), [passage("flu", DENIAL)], None, 0.7) == premise()


def test_a_claim_without_words_of_meaning_is_denied_by_nothing() -> None:
    assert verdict_of(["It is so."], {"It is so.": (0.0, 0.9)}, "It is so.") != "contradicted"


def test_what_may_be_no_claim_is_denied_or_stays_unchecked() -> None:
    own = premise(plain=False)
    assert checked(own, [passage("flu", "The flu is viral.")], Told({}), 0.7) == own
    assert checked(own, [passage("flu", CLAIM)], Told({}), 0.7) == own
    found = checked(own, [passage("flu", DENIAL)], Told({DENIAL: (0.1, 0.8)}), 0.7)
    assert found is not None
    assert found["verdict"] == "contradicted"
