"""The records of a run in bulk in one file."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis.corpus.record import Record
from retrievers.build import content_of
from retrievers.bulk_spool import Spool
from tests.retrievers.conftest import record, records


@settings(max_examples=20, deadline=None)
@given(count=st.integers(0, 1400), known=st.integers(0, 1400))
def test_each_record_that_is_new_is_in_one_shard(
    count: int, known: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    spool, given_records = Spool(tmp_path_factory.mktemp("spool")), records(count)
    spool.write(given_records, {record.id: content_of(record) for record in records(known)})
    shards = spool.shards()
    inside = [record for shard in shards for record in spool.of(shard)]
    assert sorted(record.id for record in inside) == sorted(
        record.id for record in given_records[known:]
    )
    assert list(spool.records()) == given_records
    assert sum(shard.records for shard in shards) == len(inside)
    assert all(shard.records <= 700 for shard in shards)


def test_a_record_that_changes_changes_its_shard_alone(tmp_path: Path) -> None:
    spool = Spool(tmp_path)

    def names(given_records: list[Record]) -> set[str]:
        spool.write(given_records, {})
        return {shard.name for shard in spool.shards()}

    before = names(records(1200))
    assert len(before) == 4
    assert names(records(1200)[::-1]) == before
    assert len(names([record(0, "New."), *records(1200)[1:]]) - before) == 1
    assert len(names(records(1201)) - before) == 1


def test_texts_of_all_scripts_and_origins_come_through(tmp_path: Path) -> None:
    record = Record(
        "ü\ud800", "", "糖尿病 \ud800 \0", metadata={"a": [1, None]}, origin="f", sha256="00"
    )
    spool = Spool(tmp_path)
    spool.write([record], {})
    [found] = spool.records()
    assert (found, found.origin, found.sha256) == (record, "f", "00")
    assert list(spool.of(spool.shards()[0])) == [record]
