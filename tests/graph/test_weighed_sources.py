"""Of sources that say the same the stronger and then the newer one is cited first."""

from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.record import Record
from anamnesis.models.embedding import DEFAULT_EMBEDDER, load_embedder
from graph import Context, build_graph
from nodes.settings.presets import PRESETS
from retrievers.build import build
from tests.nodes.pages import page, quoted_statements, read

SAME = "Gout attacks are treated with colchicine or naproxen."


def record(key: str, text: str, **metadata: Any) -> Record:
    return Record(key, "Gout", text, "How is gout treated?", key, focus="Gout", metadata=metadata)


@pytest.fixture
def ask(tmp_path: Path) -> Any:
    def asked(*records: Record, **settings: Any) -> Any:
        build(records, tmp_path / "index", load_embedder(DEFAULT_EMBEDDER), "test")
        graph = build_graph(index=tmp_path / "index")
        question = {"question": "How is gout treated?"}
        return graph.invoke(question, context=Context().changed(settings))["answer"]

    return asked


def test_a_source_states_its_type_and_date(ask: Any) -> None:
    answer = ask(record("a", SAME, source_type="guideline", date="2024-03-31"))
    [source] = answer["sources"]
    assert (source["type"], source["date"]) == ("guideline", "2024-03-31")
    assert "(guideline, a, 2024-03-31)" in answer["text"]


def test_of_two_that_say_the_same_the_stronger_one_is_quoted(ask: Any) -> None:
    records = (
        record("page", f"{SAME} Rest helps.", source_type="page", date="2025"),
        record("guide", f"{SAME} See a doctor.", source_type="guideline", date="2020"),
    )
    answer = ask(*records)
    [cited] = {item["citations"][0] for item in answer["statements"] if item["text"] == SAME}
    assert cited == "guide"


def test_the_stronger_says_it_in_its_own_words() -> None:
    weak = page("Colchicine and naproxen treat attacks of gout.", "weak")
    strong = page("Attacks of gout are treated by naproxen or colchicine.", "strong")
    selected = [read(weak, 0.9, 0.9), read(strong, 0.85, 0.8)]
    places = {"weak": (1, 0), "strong": (0, 0)}
    [kept] = quoted_statements(
        [weak, strong], selected, 0.5, 5, source_rank=lambda page: places[page.record_id]
    )
    assert (kept["text"], kept["citations"]) == (strong.text, ["strong#0"])
    [kept] = quoted_statements([weak, strong], selected, 0.5, 5)
    assert kept["citations"] == ["weak#0"]
    places = {"weak": (0, 0), "strong": (1, 0)}
    [kept] = quoted_statements(
        [weak, strong], selected, 0.5, 5, source_rank=lambda page: places[page.record_id]
    )
    assert kept["citations"] == ["weak#0"]


def test_a_shorter_one_or_one_that_does_not_answer_takes_no_place() -> None:
    whole = page("Colchicine and naproxen treat attacks of gout.", "whole")
    short = page("Naproxen treats gout.", "short")
    doubtful = page("Attacks of gout are treated by naproxen or colchicine.", "doubtful")
    for other, chance in ((short, 0.9), (doubtful, 0.3)):
        selected = [read(whole, 0.9, 0.9), read(other, 0.85, chance)]
        first = other.record_id
        kept = quoted_statements(
            [whole, other],
            selected,
            0.5,
            5,
            source_rank=lambda page, f=first: (page.record_id != f, 0),
        )
        assert kept[0]["citations"] == ["whole#0"]


def test_no_preset_of_a_paper_weighs_sources() -> None:
    for name in PRESETS:
        weighed = Context(preset=name).generator.source_order  # type: ignore[arg-type]
        assert bool(weighed) == (name == "default")
