"""An answer that quotes says if the project's reader is unsure that it answers."""

from collections.abc import Sequence
from typing import Any

import pytest

from anamnesis.language.text import sentences
from anamnesis.models.reader import OwnReader
from anamnesis.models.reading import Reading
from graph import Context, build_graph
from nodes.writing.render import UNSURE
from retrievers.index import Index
from tests.fakes import FakeCritic, ScriptedReader

CONTEXT = Context(triage={"classifier": "patterns", "country": "GB"})
ASTHMA, GOUT = "How is my asthma treated?", "What does gout come from?"


def readings(sure: float, passages: Sequence[tuple[str, str]]) -> list[Reading]:
    return [
        Reading(sure, tuple((start, end, 0.9) for start, end in sentences(text)), {})
        for _, text in passages
    ]


class FixedReader(OwnReader):
    """The project's reader, with a fixed relevance; of ``ASTHMA`` alone, if there is an other."""

    def __init__(self, sure: float, other: float | None = None) -> None:
        self.sure, self.other = sure, other
        self.name = "own"

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        other = self.other is not None and ASTHMA not in question
        return readings(self.other if other and self.other else self.sure, passages)


def asked(index: Index, reranker: Any, question: str) -> Any:
    critic = FakeCritic(lambda said, text: (0.9, 0.0), "sure")
    graph = build_graph(index=index, critic=critic, reranker=reranker)
    return graph.invoke({"question": question}, context=CONTEXT)["answer"]


@pytest.mark.parametrize(("sure", "noted"), [(0.4, True), (0.6, False)])
def test_an_uncertain_answer_says_so(small_index: Index, sure: float, noted: bool) -> None:
    answer = asked(small_index, FixedReader(sure), ASTHMA)
    assert answer["statements"]
    assert (answer["confidence"]["relevance"] < 0.5) == noted
    assert (UNSURE in answer["notes"]) == noted
    assert (UNSURE in answer["text"]) == noted


def test_of_several_questions_the_uncertain_one_is_named(small_index: Index) -> None:
    answer = asked(small_index, FixedReader(0.6, other=0.42), f"I am 40. {ASTHMA} {GOUT}")
    assert [part["note"] for part in answer["parts"]] == [None, UNSURE]
    assert UNSURE not in answer["notes"]
    assert answer["text"].index(GOUT) < answer["text"].index(UNSURE)


def test_another_reader_has_probabilities_of_its_own(small_index: Index) -> None:
    other = ScriptedReader(lambda query, pages: [0.4 for _ in pages])
    assert UNSURE not in asked(small_index, other, ASTHMA)["notes"]
