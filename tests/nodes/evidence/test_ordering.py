"""The order of the passages that were read, and what the state keeps of them."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import BaseDocumentCompressor, Document

from anamnesis.corpus.passage import Passage
from anamnesis.models.langchain_reranker import LangChainReranker
from anamnesis.models.reading import Reading
from nodes.evidence.ordering import as_read, ordered, readings_of
from nodes.fields.passages import Selected
from retrievers.search import Hit
from tests.fakes import ScriptedReader
from tests.nodes.steps import selected

TEXT = "Croup causes a barking cough. It is often worse at night."
QUESTION = "What is croup?"


def page(key: str) -> Passage:
    return Passage(f"{key}#0", key, 0, len(TEXT), TEXT, title=key)


def hit(key: str, score: float) -> Hit:
    return {"id": f"{key}#0", "record_id": key, "score": score, "ranks": {}, "scores": {}}


def order(fused: Sequence[float], read: Sequence[float], **how: bool) -> list[Selected]:
    """The passages a, b, c … with these scores of the lists and of the reader."""
    keys = "abcdefgh"[: len(fused)]
    hits = [hit(key, score) for key, score in zip(keys, fused, strict=True)]
    reader = ScriptedReader(lambda _, pages: list(read))
    return ordered(hits, [page(key) for key in keys], reader, QUESTION, None, **how)


def ids(found: Sequence[Selected]) -> str:
    return "".join(item["record_id"] for item in found)


@pytest.mark.parametrize(
    ("fused", "read", "how", "expected"),
    [
        ([1.0, 0.1], [0.5, 0.5], {}, "ab"),  # the lists decide where the reader does not
        ([0.1, 1.0], [0.5, 0.5], {}, "ba"),
        ([1.0, 0.1], [0.01, 0.99], {}, "ba"),  # a sure reader decides
        ([1.0, 0.1], [0.4, 0.6], {}, "ab"),
        ([1.0, 0.1], [0.4, 0.6], {"alone": True}, "ba"),
        ([1.0, 0.1], [0.01, 0.99], {"fused_order": True}, "ab"),
        ([0.0, 0.0], [0.4, 0.6], {}, "ba"),
        ([], [], {}, ""),
    ],
)
def test_reader_and_lists_order_together(
    fused: list[float], read: list[float], how: dict[str, bool], expected: str
) -> None:
    assert ids(order(fused, read, **how)) == expected


@settings(max_examples=25)
@given(st.lists(st.tuples(st.floats(0, 9), st.floats(0, 1)), max_size=8), st.booleans())
def test_nothing_is_lost_and_equal_passages_keep_their_order(
    scores: list[tuple[float, float]], alone: bool
) -> None:
    fused, read = [one for one, _ in scores], [other for _, other in scores]
    found = order(fused, read, alone=alone)
    assert sorted(ids(found)) == list("abcdefgh"[: len(scores)])
    assert {item["record_id"]: item["relevance"] for item in found} == {
        key: round(chance, 4) for key, chance in zip("abcdefgh", read, strict=False)
    }
    assert ids(order([1.0] * len(scores), [0.5] * len(scores))) == "abcdefgh"[: len(scores)]


def test_a_passage_has_its_sentences_and_the_question_that_it_was_found_for() -> None:
    of_second: Hit = {**hit("a", 1.0), "part": 2}
    [found] = ordered(
        [of_second], [page("a")], ScriptedReader(lambda *_: [0.56789]), QUESTION, None
    )
    assert found["sentences"] == [[0, 29, 0.568], [30, len(TEXT), 0.568]]
    assert (found["relevance"], found["part"]) == (0.5679, 2)


def test_a_given_reranker_gets_the_metadata_of_the_passages() -> None:
    seen: list[Document] = []

    class Compressor(BaseDocumentCompressor):
        def compress_documents(self, documents, query, callbacks=None):  # type: ignore[no-untyped-def]
            seen.extend(documents)
            for each in documents:
                each.metadata["relevance_score"] = 0.5
            return documents

    readings_of(LangChainReranker(Compressor()), QUESTION, [page("a")])
    assert seen[0].metadata["record_id"] == "a"


def test_the_state_keeps_the_nearest_sentence() -> None:
    item = selected("croup", sentences=[[0, 29, 0.2], [30, 57, 0.7], [58, 70, 0.1]], part=1)
    assert as_read(item) == {  # type: ignore[arg-type]
        "id": "croup#0", "relevance": 0.9, "start": 30, "end": 57, "part": 1,
    }  # fmt: skip
    none = as_read(selected("croup", sentences=[], polar={"yes": 1.0}))  # type: ignore[arg-type]
    assert none == {"id": "croup#0", "relevance": 0.9, "start": 0, "end": 0, "polar": {"yes": 1.0}}


def test_a_reading_is_per_passage() -> None:
    reader = ScriptedReader(lambda question, pages: [len(pages) / 10] * len(pages))
    found = readings_of(reader, QUESTION, [page("a"), page("b")])
    assert [item.relevance for item in found] == [0.2, 0.2]
    assert all(isinstance(item, Reading) for item in found)
