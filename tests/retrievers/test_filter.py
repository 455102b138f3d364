"""What a reader may not use is in no list, under no id and behind no word."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.passage import Passage
from anamnesis.corpus.record import Record
from anamnesis.errors import SettingError
from graph import Context, build_graph
from nodes.evidence.relevance import list_weights
from retrievers.build import build
from retrievers.filter import Filter, Filtered, filtered
from retrievers.index import Index
from retrievers.search import search
from tests.fakes import HashEmbedder, ScriptedReader
from tests.graph.conftest import ScriptedCritic
from tests.retrievers.conftest import Put
from tests.retrievers.engines import Engine, Files

OPEN = "Gout is treated with colchicine and rest."
WARD = "Gout on this ward is treated with zoltraxane, as the patient agreed."


def labelled() -> list[Record]:
    return [
        Record("open", "", OPEN, source="Leaflet", metadata={"date": "2021-05"}),
        Record("old", "", "Gout was treated with autumn crocus.", source="Book", kind="document"),
        Record("ward", "", WARD, source="Ward", metadata={"access": ["ward-7", "pharmacy"]}),
        Record("one", "", "Gout of staff: zoltraxane.", metadata={"access": "staff"}),
    ]


def passage(**metadata: Any) -> Passage:
    return Passage("a#0", "a", 0, 1, "x", source="Book", metadata=metadata)


@pytest.mark.parametrize(
    ("given", "metadata", "passes"),
    [
        ({}, {}, True),
        ({}, {"access": "staff"}, False),
        ({}, {"access": []}, True),
        ({}, {"access": [3]}, False),
        ({}, {"access": 3}, False),
        ({}, {"access": {"staff": True}}, False),
        ({"access": ("staff",)}, {"access": "staff"}, True),
        ({"access": ("staff",)}, {"access": ["ward", "staff"]}, True),
        ({"access": ("sta",)}, {"access": "staff"}, False),
        ({"sources": ("Book",)}, {}, True),
        ({"sources": ("Other",)}, {}, False),
        ({"kinds": ("document",)}, {}, False),
        ({"kinds": ("leaflet",)}, {"kind": "leaflet"}, True),
        ({"kinds": ("leaflet",)}, {"kind": ["leaflet"]}, False),
        ({"since": "2020"}, {"date": "2020"}, True),
        ({"since": "2020-06"}, {"date": "2020"}, True),
        ({"since": "2020-06"}, {"date": "2020-05-31"}, False),
        ({"since": "2020-06"}, {}, False),
        ({"since": "2020-06"}, {"date": "last year"}, False),
        ({"until": "2020"}, {"date": "2020-12-31T10:00:00"}, True),
        ({"until": "2020"}, {"date": "2021-01-01"}, False),
        ({"until": "2020"}, {"date": 2019}, True),
    ],
)
def test_a_passage_passes_where_everything_that_is_set_holds(
    given: dict[str, Any], metadata: dict[str, Any], passes: bool
) -> None:
    assert Filter(**given).passes(passage(**metadata)) == passes


@pytest.mark.parametrize(
    "wrong",
    [{"since": "20"}, {"until": "May 2020"}, {"access": "staff"}, {"sources": 3}, {"kinds": (3,)}],
)
def test_a_filter_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=f"filter: {next(iter(wrong))}"):
        Filter(**wrong)


@pytest.mark.parametrize(
    ("limits", "seen"),
    [
        (Filter(), {"open", "old"}),
        (Filter(access=("ward-7",)), {"open", "old", "ward"}),
        (Filter(access=("staff", "pharmacy")), {"open", "old", "ward", "one"}),
        (Filter(sources=("Leaflet", "Ward")), {"open"}),
        (Filter(since="2021"), {"open"}),
        (Filter(since="2022"), set()),
    ],
)
def test_only_what_passes_is_found(engine: Engine, limits: Filter, seen: set[str]) -> None:
    engine.put(labelled())
    whole = engine.opened()
    corpus = filtered(whole, limits)
    assert {hit["record_id"] for hit in search(corpus, "How is gout treated?", k=10)} == seen
    ids = [hit["id"] for hit in search(whole, "How is gout treated?", k=10)]
    assert len(ids) == 4
    assert {passage.record_id for passage in corpus.find(ids).values()} == seen
    if len(seen) < 4:
        with pytest.raises(SettingError, match="no passage"):
            corpus.passages(ids)
    with pytest.raises(SettingError, match="cannot be written"):
        corpus.writer()


def test_the_origin_of_what_does_not_pass_is_not_returned(engine: Engine) -> None:
    engine.put(labelled())
    whole, ids = engine.opened(), [record.id for record in labelled()]
    known = set(whole.provenance(ids))
    assert known == (set(ids) if engine.written else set())
    for limits in (Filter(), Filter(access=("pharmacy",)), Filter(sources=("Leaflet", "Ward"))):
        seen = {record.id for record in labelled() if limits.passes(passage_of(record))}
        assert set(filtered(whole, limits).provenance(ids)) == known & seen


def passage_of(record: Record) -> Passage:
    return Passage(
        f"{record.id}#0", record.id, 0, 1, "x", source=record.source, metadata=record.metadata
    )


def test_an_index_whose_passages_name_no_group_is_read_as_it_is(engine: Engine) -> None:
    open_to_all = [record for record in labelled() if "access" not in record.metadata]
    engine.put(open_to_all)
    whole = engine.opened()
    # What a store holds is unknown.
    assert (filtered(whole, Filter()) is whole) == engine.written
    assert filtered(whole, Filter(sources=("Leaflet",))) is not whole
    engine.put(labelled())
    whole = engine.opened()
    assert filtered(whole, Filter()) is not whole
    assert filtered(whole, Filter(access=None)) is whole


def test_no_engine_changes_what_is_decided_under_a_filter(engine: Engine, tmp_path: Path) -> None:
    files = Files(tmp_path / "files")
    asked = {"question": "How is gout treated?"}
    few = Context(retrieval={"candidates": 2, "min_relevance": 0.0})
    reader = ScriptedReader(lambda _, pages: [len(text) / 100 for _, text in pages])
    said = []
    for each_engine in (engine, files):
        each_engine.put(labelled())
        corpus = filtered(each_engine.opened(), Filter())
        assert corpus.restricted
        assert not each_engine.opened().restricted
        assert (list_weights(corpus, few), len(corpus)) == (None, 0)
        graph = build_graph(
            index=each_engine.opened(), critic=ScriptedCritic({}), reranker=reader, filter=Filter()
        )
        steps = graph.stream(asked, context=few, stream_mode="updates")
        [found] = [item["rerank"]["selected"] for item in steps if "rerank" in item]
        said.append({item["id"].partition("#")[0]: item["relevance"] for item in found})
    assert said[0] == pytest.approx(said[1])
    assert set(said[1]) == {"open", "old"}


def test_the_part_of_a_part_passes_both_filters(engine: Engine) -> None:
    engine.put(labelled())
    sources = filtered(engine.opened(), Filter(sources=("Leaflet", "Ward"), access=None))
    both = filtered(sources, Filter(kinds=("qa", "document")))
    assert {hit["record_id"] for hit in search(both, "gout", k=10)} == {"open"}


def test_a_label_that_was_changed_counts_at_once(engine: Engine) -> None:
    engine.put(labelled())
    staff = Filter(access=("staff",))
    ids = [hit["id"] for hit in search(filtered(engine.opened(), staff), "gout", k=10)]
    assert "one" in {
        passage.record_id for passage in filtered(engine.opened(), staff).find(ids).values()
    }
    engine.put([replace(record, metadata={"access": "admins"}) for record in labelled()])
    assert filtered(engine.opened(), staff).find(ids) == {}


def test_however_much_does_not_pass_the_list_is_full(put: Put, opened: Callable[[], Index]) -> None:
    hidden = [
        Record(f"h{n}", "", f"Gout gout {n}.", metadata={"access": "staff"}) for n in range(300)
    ]
    put([*hidden, *labelled()[:2]])
    found = search(Filtered(opened(), Filter()), "gout", k=2)
    assert {hit["record_id"] for hit in found} == {"open", "old"}


def test_words_of_what_does_not_pass_are_not_revealed(
    put: Put, opened: Callable[[], Index]
) -> None:
    put(labelled())
    whole = opened()
    assert whole.speller.repair("zoltraxone")[0] == "zoltraxane"
    hidden = Filtered(whole, Filter())
    assert hidden.speller.repair("zoltraxone") == ("zoltraxone", [])
    assert list(hidden.containing(["zoltraxane"])) == []
    staff = Filtered(whole, Filter(access=("staff",)))
    assert staff.speller.repair("zoltraxone")[0] == "zoltraxane"
    assert [passage.record_id for passage in staff.containing(["zoltraxane"])] == ["one"]


def test_labels_come_into_an_index_that_was_made_without(
    put: Put, opened: Callable[[], Index], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr("anamnesis.corpus.passage.labels", lambda record: {})
        earlier.setattr("retrievers.build.labels", lambda record: {})
        put(labelled())
    assert len(search(Filtered(opened(), Filter()), "gout", k=10)) == 4
    changes = build(labelled(), folder, HashEmbedder(), "one")
    assert (changes.changed, changes.unchanged, changes.embedded) == (3, 1, 0)
    assert len(search(Filtered(opened(), Filter()), "gout", k=10)) == 2
