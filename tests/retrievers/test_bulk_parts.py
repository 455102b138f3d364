"""What a run in bulk is put together from."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis.corpus.record import Record
from anamnesis.errors import IndexFolderError
from retrievers.build import build, content_of
from retrievers.bulk_accepting import Sample, compare
from retrievers.bulk_spool import Spool
from retrievers.index import Index
from tests.fakes import HashEmbedder
from tests.retrievers.conftest import record, records


@settings(max_examples=20, deadline=None)
@given(count=st.integers(0, 1400), known=st.integers(0, 1400))
def test_each_record_that_is_new_is_in_one_shard(
    count: int, known: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    spool, given_records = Spool(tmp_path_factory.mktemp("spool")), records(count)
    spool.write(given_records, {own.id: content_of(own) for own in records(known)})
    shards = spool.shards()
    inside = [own for shard in shards for own in spool.of(shard)]
    assert sorted(own.id for own in inside) == sorted(own.id for own in given_records[known:])
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
    own = Record(
        "ü\ud800", "", "糖尿病 \ud800 \0", metadata={"a": [1, None]}, origin="f", sha256="00"
    )
    spool = Spool(tmp_path)
    spool.write([own], {})
    [found] = spool.records()
    assert (found, found.origin, found.sha256) == (own, "f", "00")
    assert list(spool.of(spool.shards()[0])) == [own]


def test_a_sample_is_the_same_whatever_the_order() -> None:
    one, other = Sample(5), Sample(5)
    for own in records(50):
        one.note(own)
        one.note(own)
    for own in records(50)[::-1]:
        other.note(own)
    assert len(one) == len(other) == 5
    assert sorted(one._chosen) == sorted(other._chosen)


def test_the_score_of_a_sample_is_ndcg_with_one_right_record(tmp_path: Path) -> None:
    texts = {
        "a": "Gout hurts.",
        "b": "Gout was known to many, and hurts.",
        "c": "Measles and a rash.",
    }
    build([Record(key, "", text) for key, text in texts.items()], tmp_path, HashEmbedder(), "one")
    corpus = Index.open(tmp_path, HashEmbedder())
    sample = Sample()
    sample.note(Record("b", "", "x", question="gout hurts"))  # a is first, b second
    sample.note(Record("c", "measles rash", "x"))  # first
    sample.note(Record("gone", "gout", "x"))
    sample.note(Record("f", "fact", "x", kind="fact"))
    assert sample.score(corpus) == pytest.approx((1 / np.log2(3) + 1 + 0) / 3)
    assert compare(None, corpus, sample, 0).before is None
    assert compare(corpus, corpus, Sample(), 0) == (0, None, 0.0)
    with pytest.raises(IndexFolderError, match=r"gives worse results: nDCG@10 0\.544, not 0\.544"):
        compare(corpus, corpus, sample, -0.01)
