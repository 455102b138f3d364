"""Other pages that may answer the question."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.passage import Passage
from anamnesis.corpus.record import Record
from anamnesis.models.embedding import DEFAULT_EMBEDDER, load_embedder
from anamnesis.models.reader import OwnReader
from anamnesis.models.reading import Triage
from graph import Context, build_graph
from nodes.fields.passages import ReadPassage
from nodes.writing.alternatives import alternatives
from retrievers.build import build


def page(name: str, text: str) -> Passage:
    return Passage(f"{name}#0", name, 0, len(text), text, title=name)


PAGES = [
    page("first", "Honey helps."),
    page("disputed", "Stop all inhalers at once."),
    page("myths", "Myth: asthma is caused by milk. Fact: it is not."),
]
BY_ID = {page.id: page for page in PAGES}
READ: list[ReadPassage] = [
    {"id": page.id, "relevance": 0.9, "start": 0, "end": len(page.text)}
    for page in PAGES
]  # fmt: skip


def test_disputed_sentences_and_myths_are_left_out() -> None:
    found = alternatives(READ, BY_ID, 5, lambda text, _: "inhalers" in text)
    assert [page["id"] for page in found] == ["first"]
    every = alternatives(READ, BY_ID, 5, lambda *_: False)
    assert [page["id"] for page in every] == ["first", "disputed"]


def test_the_same_sentence_on_two_pages_is_one_alternative() -> None:
    pages = [page(name, "Honey helps.") for name in "ab"] + [page("c", "Rest helps.")]
    read: list[ReadPassage] = [
        {"id": page.id, "relevance": 0.9, "start": 0, "end": len(page.text)} for page in pages
    ]
    by_id = {page.id: page for page in pages}
    found = alternatives(read, by_id, 2, lambda *_: False)
    assert [page["id"] for page in found] == ["a", "c"]


PARACETAMOL = "How much paracetamol can an adult take at once and in a day (maximum dose)?"


def described(name: str, text: str, question: str, **metadata: Any) -> Record:
    return Record(name, name, text, question, name, metadata=metadata)


@pytest.fixture
def asked(tmp_path: Path) -> Any:
    def ask(records: Sequence[Record], question: str, **settings: Any) -> Any:
        build(records, tmp_path / "index", load_embedder(DEFAULT_EMBEDDER), "test")
        graph = build_graph(index=tmp_path / "index")
        changed = {"generator.max_statements": 1, "retrieval.min_relevance": 0.05, **settings}
        return graph.invoke({"question": question}, context=Context().changed(changed))["answer"]

    return ask


GOUT = "Gout attacks are treated with colchicine or naproxen."
COLD = "Ice packs ease the pain of a gout attack within minutes."


def test_pages_that_are_not_cited_are_listed(asked: Any) -> None:
    records = [
        described("one", GOUT, "How is gout treated?"),
        described("two", COLD, "How is a gout attack treated?"),
    ]
    answer = asked(records, "How is gout treated?")
    cited = {source["id"] for source in answer["sources"]}
    assert {page["id"] for page in answer["alternatives"]} == {"one", "two"} - cited
    assert len(cited) == 1
    assert (
        asked(records, "How is gout treated?", **{"generator.alternatives": 0})["alternatives"]
        == []
    )


@pytest.mark.parametrize(
    ("dates", "listed"),
    [(("2026", None), []), (("2026", "2020"), ["two"]), ((None, None), ["two"])],
)
def test_a_source_without_a_date_is_not_listed_below_one_with_a_date(
    asked: Any, dates: tuple[str | None, str | None], listed: list[str]
) -> None:
    first, second = ({"date": date} if date else {} for date in dates)
    records = [
        described("one", GOUT, "How is gout treated?", **first),
        described("two", COLD, "What else helps when gout is treated?", **second),
    ]
    answer = asked(records, "How is gout treated?")
    assert [source["id"] for source in answer["sources"]] == ["one"]
    assert [page["id"] for page in answer["alternatives"]] == listed


def test_a_page_on_a_different_medicine_is_not_listed(asked: Any) -> None:
    records = [
        described("one", "Loratadine can make people sleepy.", "Does loratadine make me sleepy?"),
        described("two", "Cetirizine can make people sleepy.", "Does cetirizine make me sleepy?"),
    ]
    answer = asked(records, "Does loratadine make me sleepy?")
    assert [source["id"] for source in answer["sources"]] == ["one"]
    assert answer["alternatives"] == []


def test_in_a_possible_emergency_no_pages_are_listed(
    asked: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [
        described("one", GOUT, "How is gout treated?"),
        described("two", COLD, "How is a gout attack treated?"),
    ]
    possible = Triage({"emergency": 0.5, "urgent": 0.3, "routine": 0.2}, {"medical": 0.9}, 0.0)
    monkeypatch.setattr(OwnReader, "triage", lambda *_: possible)
    answer = asked(records, "How is gout treated?")
    assert answer["statements"]
    assert answer["alternatives"] == []


def test_no_maximum_dose_is_listed_where_self_harm_is_likely(
    asked: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [
        described(
            "one",
            "The pack says how much paracetamol you can take in a day.",
            "Where do I find how much paracetamol I can take in a day?",
        ),
        replace(
            described("two", "Adults may take 4 g of paracetamol in a day.", PARACETAMOL),
            focus="Paracetamol",
        ),
    ]
    question = "How much paracetamol can I take in a day?"
    calm = Triage({"emergency": 0.0, "urgent": 0.0, "routine": 1.0}, {}, 0.0)
    for harm, shown in ((0.0, True), (0.9, False)):
        found = calm._replace(harm=harm)
        monkeypatch.setattr(OwnReader, "triage", lambda *_, one=found: one)
        answer = asked(records, question)
        assert answer["statements"]
        everywhere = [*answer["sources"], *answer["alternatives"]]
        assert ("two" in {page["id"] for page in everywhere}) == shown
