"""What every ``Corpus`` holds when it has more rows than are read or written together."""

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrievers.build import content_of
from retrievers.corpus import Corpus, Found
from tests.retrievers.conftest import record, records
from tests.retrievers.engines import ENGINES, Engine
from tests.retrievers.test_contract import asked

MANY = 43
SIZES = {
    "retrievers.build._RECORDS_AT_ONCE": 7,
    "retrievers.index._AT_ONCE": 5,
    "retrievers.milvus_draft._AT_ONCE": 4,
    "retrievers.milvus_reading._AT_ONCE": 5,
    "retrievers.milvus_tables._AT_ONCE": 4,
    "retrievers.milvus_tables.MOST": 5,
    "retrievers.milvus_tables.PAGE": 5,
    "retrievers.milvus_writing._RECORDS_AT_ONCE": 7,
    "retrievers.postgres_generation._AT_ONCE": 5,
    "retrievers.postgres_reading._AT_ONCE": 5,
    "retrievers.postgres_tables._AT_ONCE": 5,
    "retrievers.postgres_writing._RECORDS_AT_ONCE": 7,
}
"""How many rows each engine reads or writes together, here far fewer than there are."""


@pytest.fixture(params=ENGINES)
def engine(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Engine]:
    for place, size in SIZES.items():
        module, _, name = place.rpartition(".")
        monkeypatch.setattr(importlib.import_module(module), name, size)
    made: Engine = request.param(tmp_path)
    yield made
    made.close()


def lists(engine: Engine, corpus: Corpus) -> dict[str, list[Found]]:
    """All passages, as each list finds them."""
    return asked(engine, corpus, "gout treated kind", 2 * MANY)


def test_all_rows_are_there_after_another_collection_has_changed(engine: Engine) -> None:
    big = records(MANY)
    engine.put(big, "big")
    before = lists(engine, engine.opened())
    assert {len(found) for found in before.values()} == {MANY}
    for count in (1, 12, 6):
        small = [record(100 + number) for number in range(count)]
        engine.put(small, "small")
        corpus = engine.opened()
        ids = {f"{record.id}#0" if engine.written else record.id for record in [*big, *small]}
        if engine.written:
            assert len(corpus) == corpus.manifest.passages == len(ids)
            sizes = {
                name: collection.passages
                for name, collection in corpus.manifest.collections.items()
            }
            assert sizes == {"big": MANY, "small": count}
            hashes = {record.id: content_of(record) for record in [*big, *small]}
            assert corpus.writer().content_hashes() == hashes
            assert set(corpus.find(sorted(ids))) == ids
            assert {passage.id for passage in corpus.containing(["treated"])} == ids
            assert corpus.words("drug") == sorted(
                f"drug{record.id.removeprefix('r')}" for record in [*big, *small]
            )
            assert set(corpus.provenance([record.id for record in big])) == {
                record.id for record in big
            }
        assert {len(found) for found in lists(engine, corpus).values()} == {len(ids)}
    engine.put([], "small")
    after = lists(engine, engine.opened())
    for name, found in before.items():
        assert [hit.id for hit in after[name]] == [hit.id for hit in found]
        assert [hit.score for hit in after[name]] == pytest.approx([hit.score for hit in found])


def test_a_large_collection_is_changed_in_part(engine: Engine) -> None:
    if not engine.written:
        pytest.skip("it is written by means of its own")
    engine.put(records(MANY), "big")
    engine.put([record(100)], "small")
    writer = engine.opened().writer()
    changes = writer.put([record(3, "It is new."), *records(MANY + 5)[5:]], "big")
    assert (changes.added, changes.changed, changes.removed) == (5, 1, 4)
    changes = writer.put([record(3, "It is newer."), *records(MANY + 5)[5:]], "big")
    assert (changes.added, changes.changed, changes.unchanged) == (0, 1, MANY)
    assert changes.embedded == 1
    corpus = engine.opened()
    assert len(corpus) == MANY + 2
    assert [passage.record_id for passage in corpus.containing(["newer"])] == ["r3"]
