"""What is answered though no record answers it, by hand."""

from collections.abc import Sequence

import numpy as np

from anamnesis.corpus.passage import Passage
from anamnesis.models.encoder import Vectors
from anamnesis.models.reading import Reading
from benchmarks.coverage import Candidate, answered_wrongly
from evaluation.reading import Query
from nodes.evidence.relevance import Weights


def vectors(texts: Sequence[str]) -> Vectors:
    return np.eye(len(texts), 8, dtype=np.float32)


def candidate(name: str, relevance: float) -> Candidate:
    passage = Passage(f"{name}#0", name, 0, 4, "text", name.title(), focus=name)
    return Candidate(passage, 0.0, Reading(relevance, (), {}))


def test_only_queries_without_an_answer_whose_page_is_relevant_are_listed() -> None:
    queries = [
        Query("a", "how is\nzorblax treated", {}),
        Query("b", "capital of australia", {}),
        Query("c", "gout", {"gout": 3}),
        Query("d", "half-life of apixaban", {"gout": 1}),
    ]
    read = [
        [candidate("cough", 0.2), candidate("zosters", 0.7)],
        [candidate("cough", 0.01)],
        [candidate("gout", 0.99)],
        [candidate("apixaban", 0.9)],
    ]
    lines = list(answered_wrongly(queries, read, Weights(1, 0, 0, 0), vectors))
    assert [line.split(": ")[0].split() for line in lines] == [
        ["0.90", "half-life", "of", "apixaban", "|", "apixaban"],
        ["0.70", "how", "is", "zorblax", "treated", "|", "zosters"],
    ]
