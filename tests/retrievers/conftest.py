"""Small indexes of made-up records, and the search engines."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from anamnesis.corpus.record import Record
from retrievers.build import Changes, build
from retrievers.index import Index
from retrievers.milvus import MilvusEngine
from retrievers.postgres import PostgresEngine
from tests.fakes import HashEmbedder
from tests.retrievers.engines import ENGINES, Engine
from tests.retrievers.postgres_servers import new_database

TOPICS = ("asthma", "gout", "measles", "anaemia", "migraine", "eczema", "scurvy", "rabies")


def record(number: int, more: str = "") -> Record:
    """A record about one of the topics; every number has words of its own."""
    topic = TOPICS[number % len(TOPICS)]
    text = f"{topic.title()} of kind k{number} is treated with drug{number}. {more}".strip()
    return Record(f"r{number}", topic.title(), text, f"How is {topic} {number} treated?", "Test")


def records(count: int) -> list[Record]:
    return [record(number) for number in range(count)]


def answers(index: Index, queries: Iterable[str]) -> list[list[tuple[str, float]]]:
    """What both lists say, by passage id."""
    found = []
    for query in queries:
        vector = index.embedder.embed_queries([query])[0]
        for hits in (index.sparse(query, 8), index.dense(vector, 8)):
            found.append([(key, round(score, 5)) for key, score, _ in hits])
    return found


QUERIES = ("gout drug1", "How is asthma 8 treated?", "kind k3", "measles rabies")

Put = Callable[..., Changes]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def put(folder: Path) -> Put:
    """Builds into ``folder`` with a fresh embedder; the collection is "one" by default."""

    def put(items: Iterable[Record], collection: str = "one", **options: object) -> Changes:
        embedder = options.pop("embedder", None) or HashEmbedder()
        return build(items, folder, embedder, collection, **options)  # type: ignore[arg-type]

    return put


@pytest.fixture
def opened(folder: Path) -> Callable[[], Index]:
    return lambda: Index.open(folder, HashEmbedder())


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """Each search engine that can be tested here, in turn."""
    made: Engine = request.param(tmp_path)
    yield made
    made.close()


@pytest.fixture
def milvus(tmp_path: Path) -> Iterator[MilvusEngine]:
    made = MilvusEngine(f"milvus://{tmp_path}/own.db", HashEmbedder(), grace=0)
    yield made
    made.close()


@pytest.fixture
def address() -> str:
    """That of a database of the test's own, on a PostgreSQL server."""
    return new_database()


@pytest.fixture
def postgres(address: str) -> Iterator[PostgresEngine]:
    made = PostgresEngine(address, HashEmbedder())
    yield made
    made.close()
