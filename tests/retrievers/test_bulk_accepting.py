"""A new generation is compared with the old one on a sample of both."""

from pathlib import Path

import numpy as np
import pytest

from anamnesis.corpus.record import Record
from anamnesis.errors import IndexFolderError
from retrievers.build import build
from retrievers.bulk_accepting import Sample, compare
from retrievers.index import Index
from tests.fakes import HashEmbedder
from tests.retrievers.conftest import records


def test_a_sample_is_the_same_whatever_the_order() -> None:
    one, other = Sample(5), Sample(5)
    for record in records(50):
        one.note(record)
        one.note(record)
    for record in records(50)[::-1]:
        other.note(record)
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
