"""Which rows a corpus in Milvus reads and copies, and which it refuses."""

from dataclasses import replace
from typing import Any

import pytest

from anamnesis.errors import CorpusError, IndexFolderError
from retrievers.filter import Filter, filtered
from retrievers.milvus import MilvusEngine
from retrievers.milvus_tables import counts_of, passages_of, records_of
from tests.retrievers.conftest import record, records
from tests.retrievers.engines import ON_MILVUS

pytestmark = list(ON_MILVUS)


def test_the_words_are_read_once_whatever_the_filter(
    milvus: MilvusEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = record(0).to_json()
    milvus.writer().put(
        [type(record(0))(**{**base, "metadata": {"access": ["ward 1"]}}), record(1)], "one"
    )
    query, read = milvus.client.query, list[str]()

    def noting(name: str, *given: Any, **more: Any) -> Any:
        read.append(name)
        return query(name, *given, **more)

    monkeypatch.setattr(milvus.client, "query", noting)
    for access in (("ward 1",), ("ward 2",), ("ward 1", "ward 2")):
        corpus = filtered(milvus.corpus(), Filter(access=access))
        assert corpus.idf(["nowhere"])[0] > 0
        assert corpus.words("gou") == ["gout"]
        assert corpus.speller.repair("gout")[0] == "gout"
    assert read.count(counts_of(milvus.corpus().generation)) == 1


@pytest.mark.parametrize("table", [passages_of, records_of])
def test_an_update_that_does_not_get_all_rows_is_refused(
    milvus: MilvusEngine, monkeypatch: pytest.MonkeyPatch, table: Any
) -> None:
    milvus.writer().put(records(9), "big")
    milvus.writer().put([record(20)], "small")
    generation, held = milvus.corpus().generation, set(milvus.client.list_collections())
    query = milvus.client.query

    def losing(name: str, *given: Any, **more: Any) -> Any:
        rows = query(name, *given, **more)
        return rows[:-1] if name == table(generation) else rows

    with monkeypatch.context() as damaged:
        damaged.setattr(milvus.client, "query", losing)
        with pytest.raises(IndexFolderError, match=r"of .* Nothing was changed.* --rebuild"):
            milvus.writer().put([record(21)], "small")
        with pytest.raises(IndexFolderError, match=r"of .* Nothing was changed.* --rebuild"):
            milvus.writer().remove("small")
    assert milvus.corpus().generation == generation
    assert set(milvus.client.list_collections()) == held
    assert milvus.writer().put([record(21)], "small").added == 1
    assert len(milvus.corpus()) == 10


def test_a_generation_without_all_of_its_passages_is_not_used(
    milvus: MilvusEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    milvus.writer().put(records(9), "one")
    insert = milvus.client.insert

    def losing(name: str, rows: list[Any], **more: Any) -> Any:
        return insert(name, rows[:-1] if "dense" in rows[0] else rows, **more)

    with monkeypatch.context() as damaged:
        damaged.setattr(milvus.client, "insert", losing)
        with pytest.raises(IndexFolderError, match="returned 9 of 10 passages that were written"):
            milvus.writer().put(records(10), "one")
    assert len(milvus.corpus()) == len(milvus.writer().content_hashes()) == 9


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"title": "a" * 66_000}, "a field of Milvus has at most 65,535"),
        (
            {"title": "\N{GREEK SMALL LETTER ALPHA}" * 11_000},
            "a field of Milvus has at most 65,535",
        ),
        ({"origin": "a" * 66_000}, "a field of Milvus has at most 65,535"),
        ({"id": "a" * 66_000}, "a field of Milvus has at most 65,535"),
        ({"metadata": {"access": [f"g{n}" for n in range(4_097)]}}, "it has 4,097 access groups"),
    ],
)
def test_a_record_with_too_long_a_text_is_named(
    milvus: MilvusEngine, changed: dict[str, Any], problem: str
) -> None:
    milvus.writer().put(records(3), "one")
    large = replace(record(7), **changed)
    with pytest.raises(CorpusError, match=rf"(?s)Record '{large.id[:7]}.*{problem}") as found:
        milvus.writer().put([*records(3), large], "one")
    assert "PostgreSQL" in str(found.value)
    assert len(milvus.corpus()) == 3


def test_long_words_have_room(milvus: MilvusEngine) -> None:
    words = [first * 15_000 for first in "abcd"]
    milvus.writer().put([record(n, word) for n, word in enumerate(words)], "one")
    for word in words:
        assert milvus.corpus().words(word[:9]) == [word]
