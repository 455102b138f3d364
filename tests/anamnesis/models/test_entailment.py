"""The critic's logic, with a classifier whose answers are known."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from anamnesis.models import entailment
from anamnesis.models.critic import Support
from anamnesis.models.entailment import EntailmentCritic
from anamnesis.models.labels import Labels, Relevance, read_labels, read_relevance
from anamnesis.models.reference import parse
from tests.fakes import count_words


class Known:
    """Entails what the premise says word for word; contradicts where the premise says 'not'."""

    labels = ("contradiction", "neutral", "entailment")
    window = 24

    def __init__(self) -> None:
        self.pairs: list[tuple[str, str]] = []

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return count_words(texts)

    def room(self, *texts: str) -> int:
        return max(1, self.window - 4 - sum(self.count_tokens(texts)))

    def logits(self, pairs: Sequence[tuple[str, str]]) -> Any:
        self.pairs += pairs
        rows = []
        for premise, statement in pairs:
            assert sum(self.count_tokens([premise, statement])) <= self.window
            core = statement.rstrip(".")
            rows.append([4 * (core.replace("is", "is not") in premise), 2, 4 * (core in premise)])
        return np.array(rows, np.float32)


@pytest.fixture
def critic(monkeypatch: pytest.MonkeyPatch) -> tuple[EntailmentCritic, Known]:
    known = Known()
    monkeypatch.setattr(entailment, "load_cross_encoder", lambda reference: known)
    return EntailmentCritic(parse("hf:known")), known


FILLER = "Nothing of this matters to anyone at all. " * 12
Critic = tuple[EntailmentCritic, Known]


@pytest.mark.parametrize("premise", ["{} " + FILLER, FILLER + "{}", FILLER + "{} " + FILLER])
def test_evidence_is_found_wherever_it_stands(critic: Critic, premise: str) -> None:
    premise = premise.format("Aspirin is safe.")
    [[support]] = critic[0].judge(["Aspirin is safe."], [[premise]])
    assert support.probability > 0.8
    assert premise[support.start : support.end] == "Aspirin is safe."


def test_a_contradiction_is_reported_with_its_sentence(critic: Critic) -> None:
    premise = FILLER + "Aspirin is not safe. " + FILLER
    [[support]] = critic[0].judge(["Aspirin is safe."], [[premise]])
    assert support.probability < 0.5
    assert support.contradiction is not None
    assert support.contradiction > 0.8
    assert premise[support.start : support.end] == "Aspirin is not safe."


def test_every_passage_is_a_premise_of_its_own(critic: Critic) -> None:
    [[first, second, empty]] = critic[0].judge(
        ["Aspirin is safe."], [[FILLER, "Aspirin is safe.", ""]]
    )
    assert first.probability < 0.5 < second.probability
    assert empty == Support(0.0, 0.0, 0, 0)


def test_a_long_statement_is_as_supported_as_its_least_supported_part(critic: Critic) -> None:
    first, second = "Aspirin is safe for almost all adult people.", "Water is good for all of us."
    statement = f"{first} {second}"
    both, half = critic[0].judge([statement] * 2, [[f"{first} {second}"], [first]])
    assert both[0].probability > 0.8
    assert half[0].probability < 0.5


def test_an_empty_statement_is_not_supported(critic: Critic) -> None:
    assert critic[0].judge([""], [["Aspirin is safe."]])[0][0].probability == 0
    assert critic[0].judge([], []) == []


def test_a_window_that_says_nothing_is_not_searched(critic: Critic) -> None:
    critic[0].judge(["Aspirin is safe."], [[FILLER]])
    sentences = [premise.count(".") for premise, _ in critic[1].pairs]
    # Eleven windows of two sentences, and of each the sentence nearest the statement.
    assert sorted(sentences) == [1] * 11 + [2] * 11


SAYS, SILENT = np.exp([4, 2, 0])[0] / np.exp([4, 2, 0]).sum(), 1 / (2 + np.exp(2))


@pytest.mark.parametrize(
    ("statement", "wide", "close"),
    [
        ("Water is good.", SAYS, SAYS),  # a sentence says it
        ("is good. Salt", SAYS, SAYS),  # two neighbours do
        ("safe. Water is good. Salt", SAYS, SILENT),  # the window alone does
        ("Salt is good.", SILENT, SILENT),
        ("is safe. Salt is bad.", SILENT, SAYS),  # what the window begins with is added
    ],
)
def test_the_higher_of_the_window_and_its_nearest_sentences_counts_most(
    critic: Critic, statement: str, wide: float, close: float
) -> None:
    premise = "Aspirin is safe. Water is good. Salt is bad."
    [[support]] = critic[0].judge([statement], [[premise]])
    low, high = sorted(np.log(each / (1 - each)) for each in (wide, close))
    expected = 1 / (1 + np.exp(-0.7 * high - 0.3 * low))
    assert support.probability == pytest.approx(expected, abs=1e-6)


def test_names_are_read_in_any_case_and_spelling() -> None:
    assert read_labels(["Neutral", "ENTAILMENT", "Contradiction"], "m") == Labels(1, 2, [0, 1, 2])
    assert read_labels(["not_entailment", "entailment"], "m") == Labels(1, None, [0, 1])
    assert read_labels(["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"], "m") == Labels(0, 1, [0, 1, 2])
    texts = ["relevant", "entailment", "neutral", "contradiction"]
    assert read_labels(texts, "m") == Labels(1, 3, [1, 2, 3])
    assert read_relevance(texts, "m") == Relevance(0, False)
    assert read_relevance(["irrelevant", "Relevant"], "m") == Relevance(1, True)
    assert read_relevance(["not entailment", "entailment"], "m") == Relevance(1, True)
    assert read_relevance(["LABEL_0"], "m") == Relevance(0, False)


def test_evidence_that_refers_to_its_neighbour_is_both(monkeypatch: pytest.MonkeyPatch) -> None:
    class Referring(Known):
        window = 60

        def logits(self, pairs: Sequence[tuple[str, str]]) -> Any:
            supported = ["Gout" in premise and "acid" in premise for premise, _ in pairs]
            return np.array([[0, 2, 6 * supports] for supports in supported], np.float32)

    monkeypatch.setattr(entailment, "load_cross_encoder", lambda reference: Referring())
    premise = "It is old. Gout hurts. It comes from acid. It is common."
    [[found]] = EntailmentCritic(parse("hf:known")).judge(["Acid brings gout."], [[premise]])
    assert premise[found.start : found.end] == "Gout hurts. It comes from acid."
