"""Words searched by pg_textsearch: how they are spelled, under filters, and where it is missing."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.record import Record
from anamnesis.language.text import tokenize
from retrievers import postgres_textsearch as textsearch
from retrievers.filter import Filter
from retrievers.postgres import PostgresCorpus, PostgresEngine
from tests.fakes import HashEmbedder
from tests.retrievers.conftest import records
from tests.retrievers.engines import NOT_HERE, Textsearch
from tests.retrievers.postgres_servers import new_database

HARD = ("5mg", "1e5", "covid_19", "naïve", "q", "qq", "qdfz", "5", "007", "é", "日本", "x" * 400)


@given(st.text(), st.text())
def test_different_words_have_different_spellings(one: str, other: str) -> None:
    one, other = one[:255], other[:255]
    assert (textsearch.spelled(one) == textsearch.spelled(other)) == (one == other)
    assert set(textsearch.spelled(one)) <= set("abcdefghijklmnopqrstuvwxyz")


def test_a_spelling_by_hand() -> None:
    assert textsearch.spelled("asthma") == "asthma"
    assert textsearch.spelled("q10") == "qqqdbzqdaz"
    assert textsearch.text_of("Type-2 Diabetes!") == "type qdcz diabetes"
    assert len(textsearch.spelled("\U0010ffff" * 400)) < 2047


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[PostgresCorpus]:
    engine = Textsearch(tmp_path)
    made = [Record(f"w{n}", "", f"{word} common") for n, word in enumerate(HARD)]
    ward = Record("ward", "", "common common", metadata={"access": "ward"})
    few = [Record(f"few{n}", "", f"common rare{n}", source="few") for n in range(3)]
    engine.put([*made, *records(400), ward, *few])
    yield engine.opened()
    engine.close()


@NOT_HERE
def test_each_word_of_the_tokenizer_is_one_word_of_the_database(corpus: PostgresCorpus) -> None:
    with corpus._server.asking() as connection:
        for word in {term for text in HARD for term in tokenize(text)}:
            query = "select array_length(tsvector_to_array(to_tsvector('simple', %s)), 1)"
            assert connection.execute(query, (textsearch.spelled(word),)).fetchone() == (1,), word
    for number, word in enumerate(HARD):
        assert f"w{number}#0" in {item.id for item in corpus.sparse(word, 2)}, word
        assert f"w{number}#0" in {item.id for item in corpus.containing([word])}, word
    assert corpus.sparse("", 5) == corpus.sparse("?!", 5) == corpus.sparse("neverseen", 5) == []
    assert (
        list(corpus.containing(["common"], []))
        == list(corpus.containing(["common"], ["gout"]))
        == []
    )
    found = corpus.containing(["common"], ["rare1", "rare2"])
    assert [item.id for item in found] == ["few1#0", "few2#0"]


@NOT_HERE
def test_what_passes_a_filter_is_found_whole_and_scored_as_without(corpus: PostgresCorpus) -> None:
    scores = {item.id: item.score for item in corpus.sparse("common drug7", 500)}
    few = corpus.limited(Filter(sources=("few",)))
    found = few.sparse("common drug7", 10)
    assert {item.id for item in found} == {"few0#0", "few1#0", "few2#0"}
    assert [item.score for item in found] == pytest.approx([scores[item.id] for item in found])
    assert "ward#0" not in {item.id for item in few.sparse("common", 500)}
    ward = corpus.limited(Filter(access=("ward",))).sparse("common", 1)
    assert [item.id for item in ward] == ["ward#0"]


class Refusing:
    """A connection whose role may not create the extension that the server has."""

    def execute(self, query: str, given: Sequence[str] = ()) -> "Refusing":
        if query.startswith("create extension"):
            raise psycopg.errors.InsufficientPrivilege("permission denied\nHINT: ask")
        return self

    def fetchone(self) -> tuple[None]:
        return (None,)

    def transaction(self) -> AbstractContextManager[None]:
        return nullcontext()


def test_a_role_that_may_not_create_it_gets_the_remedy(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        assert not textsearch.usable(Refusing())
    assert "permission denied. Words are searched in the table of postings" in caplog.text
    assert "run: create extension pg_textsearch" in caplog.text


@NOT_HERE
def test_few_passages_and_a_server_without_it_have_postings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = PostgresEngine(new_database(), HashEmbedder())
    engine.writer().put(records(12), "one")
    assert not engine.corpus().held.textsearch
    monkeypatch.setattr(textsearch, "FROM", 0)
    monkeypatch.setattr(textsearch, "EXTENSION", "not_there")
    engine.writer().put(records(13), "one")
    assert not engine.corpus().held.textsearch
    assert engine.corpus().sparse("gout", 3)
    engine.close()


@NOT_HERE
def test_an_update_goes_from_postings_to_it_and_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Textsearch(tmp_path)
    engine.put(records(20))
    before = engine.opened()
    monkeypatch.setattr(textsearch, "FROM", 1_000)
    later = PostgresEngine(engine.address, HashEmbedder())
    later.writer().put(records(21), "one")
    assert not later.corpus().held.textsearch
    for corpus in (before, later.corpus()):
        assert {item.id for item in corpus.sparse("drug7", 5)} == {"r7#0"}
    with psycopg.connect(engine.address) as connection:
        query = f"select count(*) from anamnesis.texts_{later.corpus().generation}"
        assert connection.execute(query.encode()).fetchone() == (0,)
    later.close()
    engine.close()
