"""The lists of PostgreSQL by the graph of near vectors, under filters, and both at once."""

from collections.abc import Iterator
from typing import Any

import pytest

from anamnesis.corpus.record import Record
from retrievers import postgres_lists, postgres_tables
from retrievers.filter import Filter
from retrievers.postgres import PostgresCorpus, PostgresEngine
from retrievers.search import search
from tests.fakes import HashEmbedder
from tests.retrievers.engines import NOT_HERE
from tests.retrievers.postgres_servers import new_database

pytestmark = NOT_HERE
SIZE = 600
QUERY = "gout drug7 colchicine"
EVEN = Filter(sources=("even",))
ONE = Filter(access=("ward",), sources=("ward",))


def records() -> list[Record]:
    made = [
        Record(
            f"r{n}", "", f"Drug{n} helps against gout, colchicine and drug{n + 1}.",
            source="even" if n % 2 == 0 else "odd",
            metadata={"date": f"20{n % 20:02}"},
        )
        for n in range(SIZE)
    ]  # fmt: skip
    hidden = Record("w", "", "Zebras.", source="ward", metadata={"access": "ward"})
    return [*made, hidden]


@pytest.fixture
def engine(request: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresEngine]:
    if request.param == "near":
        monkeypatch.setattr(postgres_tables, "EXACT_UP_TO", 10)
        monkeypatch.setattr(postgres_lists, "NEAR", 100)
    made = PostgresEngine(new_database(), HashEmbedder())
    made.writer().put(records(), "one")
    assert made.corpus().held.near == (request.param == "near")
    yield made
    made.close()


BOTH = pytest.mark.parametrize("engine", ["exact", "near"], indirect=True)


def vector(corpus: PostgresCorpus) -> Any:
    return corpus.embedder.embed_queries([QUERY])[0]


def exact(corpus: PostgresCorpus, k: int, limits: Filter | None) -> list[str]:
    """The ids by the inner products, worked out here."""
    passing = [
        record
        for record in records()
        if limits is None or (limits.sources or ("",))[0] == record.source
    ]
    products = HashEmbedder().embed_queries([record.text for record in passing]) @ vector(corpus)
    order = sorted(range(len(passing)), key=lambda n: -products[n])
    return [f"{passing[n].id}#0" for n in order[:k]]


@BOTH
@pytest.mark.parametrize("limits", [None, EVEN, ONE])
def test_near_vectors_are_those_that_comparing_all_finds(
    engine: PostgresEngine, limits: Filter | None
) -> None:
    whole = engine.corpus()
    corpus = whole if limits is None else whole.limited(limits)
    found = corpus.dense(vector(corpus), 10)
    assert [hit.id for hit in found] == exact(corpus, 10, limits)
    # More than the graph gives.
    everything = {None: SIZE + 1, EVEN: SIZE // 2, ONE: 1}
    assert len(corpus.dense(vector(corpus), 10_000)) == everything[limits]


@BOTH
@pytest.mark.parametrize("limits", [None, Filter(), EVEN, ONE, Filter(since="2010", until="2011")])
def test_both_lists_at_once_are_the_two_lists(
    engine: PostgresEngine, limits: Filter | None
) -> None:
    whole = engine.corpus()
    corpus = whole if limits is None else whole.limited(limits)
    sparse, dense = corpus.both(QUERY, vector(corpus), 20)
    assert sparse == corpus.sparse(QUERY, 20)
    assert dense == corpus.dense(vector(corpus), 20)
    if limits is not None:
        passages = corpus.passages([hit.id for hit in [*sparse, *dense]])
        assert all(limits.passes(passage) for passage in passages)
        assert corpus.find(["w#0"]).keys() == ({"w#0"} if limits is ONE else set())


@pytest.mark.parametrize("engine", ["exact"], indirect=True)
def test_a_question_takes_one_round_for_both_lists(
    engine: PostgresEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, rounds = engine.corpus(), []
    rows = corpus._rows
    monkeypatch.setattr(corpus, "_rows", lambda *a, **k: rounds.append(a) or rows(*a, **k))
    found = search(corpus, QUERY, k=5)
    assert len(rounds) == 1
    assert {name for hit in found for name in hit["ranks"]} == {"sparse", "dense"}
