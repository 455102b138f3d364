"""Statements and sources as an answer shows them."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document

from anamnesis.corpus.passage import Passage
from nodes.checking.statements import unchecked_statement
from nodes.state import Evidence, Statement
from nodes.writing.citing import cite, shown_as, span_in_source
from retrievers.given_documents import passage_of
from tests.nodes.pages import page


def test_a_stronger_source_that_disagrees_is_named_as_such() -> None:
    weak, strong = page("Gout is contagious.", "weak"), page("Gout is not contagious.", "strong")
    passages = {passage.id: passage for passage in (weak, strong)}
    _, offsets = cite([weak, strong])
    against: Evidence = {"document": strong.id, "start": 0, "end": len(strong.text)}
    item: Statement = {**unchecked_statement(weak.text, [weak.id]), "conflict": against}

    def place(passage: Passage) -> tuple[int, int]:
        return passage is weak, 0

    assert shown_as(item, passages, offsets, place)["outweighed"]
    assert "outweighed" not in shown_as(item, passages, offsets, lambda page: (0, 0))
    both: Statement = {**unchecked_statement("It spreads.", [weak.id, strong.id]), "conflict": None}
    assert shown_as(both, passages, offsets, place)["citations"] == ["strong", "weak"]
    assert shown_as(both, passages, offsets, lambda _: (0, 0))["citations"] == ["weak", "strong"]


TEXT = "Croup is caused by a virus. It is worse at night. Cool air can help."
CUTS = [(0, 27), (28, 49), (50, len(TEXT))]


def part_of(place: int, record: str = "croup", **metadata: Any) -> Passage:
    start, end = CUTS[place]
    return Passage(
        f"{record}#{place}", record, start, end, TEXT[start:end], title="Croup", metadata=metadata
    )


def test_a_source_has_its_cited_passages_in_reading_order() -> None:
    [source], offsets = cite([part_of(2), part_of(0)])
    assert source["text"] == "Croup is caused by a virus. […] Cool air can help."
    assert offsets == {"croup#0": ("croup", 0), "croup#2": ("croup", 32)}
    [source], _ = cite([part_of(1), part_of(0)])
    assert source["text"] == TEXT[:49]


def given_page(text: str, **metadata: Any) -> Passage:
    return passage_of(Document(text, id="book", metadata=metadata))


def test_documents_with_one_id_and_different_metadata_are_sources_of_their_own() -> None:
    one, two = given_page("Croup is caused by a virus.", page=1), given_page("Cool air.", page=2)
    sources, offsets = cite([one, two])
    assert [(source["id"], source["text"], source["metadata"]["page"]) for source in sources] == [
        (one.id, one.text, 1), (two.id, two.text, 2),
    ]  # fmt: skip
    item: Statement = unchecked_statement(two.text, [two.id])
    shown = shown_as(
        item, {passage.id: passage for passage in (one, two)}, offsets, lambda _: (0, 0)
    )
    assert shown["citations"] == [two.id]
    place: Evidence = {"document": two.id, "start": 0, "end": 4}
    assert span_in_source(place, offsets) == place
    alike = [given_page("Croup is caused by a virus."), given_page("Cool air.")]
    [source], _ = cite(alike)
    assert (source["id"], source["text"]) == ("book", "Croup is caused by a virus. […] Cool air.")


def test_a_source_states_its_type_date_and_metadata_if_it_has_any() -> None:
    plain, dated = cite(
        [part_of(0), part_of(0, "other", date="2026-05-04", source_type="guideline", ward="3")]
    )[0]
    assert (dated["type"], dated["date"]) == ("guideline", "2026-05-04")
    assert dated["metadata"]["ward"] == "3"
    assert not {"type", "date", "metadata"} & plain.keys()


@given(st.permutations(range(3)), st.integers(1, 3), st.booleans())
def test_a_span_is_the_same_text_in_its_source(order: list[int], most: int, two: bool) -> None:
    pages = [part_of(place) for place in order[:most]]
    pages += [part_of(place, "other") for place in order[:most]] if two else []
    sources, offsets = cite(pages)
    assert [item["id"] for item in sources] == ["croup", "other"][: 1 + two]
    texts_by_id = {item["id"]: item["text"] for item in sources}
    for passage in pages:
        span = span_in_source({"document": passage.id, "start": 3, "end": 9}, offsets)
        assert span is not None
        assert texts_by_id[span["document"]][span["start"] : span["end"]] == passage.text[3:9]
    assert span_in_source(None, offsets) is None
    assert span_in_source({"document": "none#0", "start": 0, "end": 1}, offsets) is None
