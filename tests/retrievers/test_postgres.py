"""What PostgreSQL adds to the contract of ``Corpus``."""

import traceback

import psycopg
import pytest

from anamnesis.corpus.passage import Passage
from anamnesis.corpus.record import Record
from anamnesis.errors import CorpusError, IndexFolderError, SettingError
from retrievers.filter import Filter
from retrievers.postgres import PostgresEngine
from retrievers.postgres_lists import conditions
from retrievers.postgres_tables import row_of
from retrievers.search import search
from tests.fakes import HashEmbedder
from tests.retrievers.conftest import records
from tests.retrievers.engines import NOT_HERE


def test_an_address_where_nothing_answers_is_named_without_its_password() -> None:
    with pytest.raises(IndexFolderError, match="cannot be used") as raised:
        PostgresEngine("postgresql://ann:sesame@127.0.0.1:1/none", HashEmbedder())
    assert "sesame" not in str(raised.value)


@NOT_HERE
def test_before_anything_is_written_there_is_no_index(postgres: PostgresEngine) -> None:
    with pytest.raises(IndexFolderError, match="no index in PostgreSQL at"):
        postgres.corpus()


@NOT_HERE
def test_another_embedder_neither_reads_nor_writes(postgres: PostgresEngine, address: str) -> None:
    postgres.writer().put(records(3), "one")
    other = PostgresEngine(address, HashEmbedder("other"))
    with pytest.raises(IndexFolderError, match="made with embedder"):
        other.corpus()
    with pytest.raises(IndexFolderError, match="made with embedder"):
        other.writer().put(records(3), "one")
    assert other.writer().put(records(3), "one", rebuild=True).added == 3
    assert len(other.corpus()) == 3
    other.close()


def test_labels_that_cannot_be_stored_stay_different() -> None:
    labels = {"access": ["a\0b"]}
    row = row_of(0, Passage("r#0", "r", 0, 1, "x", source="B\0x", metadata=labels), "one")
    _, same = conditions(Filter(sources=("B\0x",), access=("a\0b",)))
    _, others = conditions(Filter(sources=("Bx",), access=("ab",)))
    assert row[6] in same["sources"]
    assert row[9] == same["groups"]
    assert row[6] not in others["sources"]
    assert row[9] != others["groups"]
    assert "\0" not in f"{row[6]}{row[9][0]}"


@NOT_HERE
def test_only_what_changed_is_embedded_and_nothing_is_switched_for_nothing(
    postgres: PostgresEngine,
) -> None:
    postgres.writer().put(records(8), "one")
    first = postgres.corpus()
    changes = postgres.writer().put(records(8), "one")
    assert (changes.unchanged, changes.embedded) == (8, 0)
    assert postgres.corpus() is first
    changed = [Record("r0", "", "Something else."), *records(8)[1:7]]
    changes = postgres.writer().put(changed, "one")
    counts = (changes.added, changes.changed, changes.removed, changes.unchanged, changes.embedded)
    assert counts == (0, 1, 1, 6, 1)
    assert postgres.corpus() is not first


@NOT_HERE
def test_a_generation_goes_when_its_last_reader_has_gone(
    postgres: PostgresEngine, address: str
) -> None:
    def generations() -> int:
        with psycopg.connect(address) as connection:
            rows = connection.execute("select 1 from pg_tables where tablename like 'vectors\\_%'")
            return len(rows.fetchall())

    postgres.writer().put(records(3), "one")
    reader = postgres.corpus()
    for count in (4, 5, 6):
        postgres.writer().put(records(count), "one")
    assert generations() == 2
    assert len(search(reader, "gout drug1", k=10)) == 3
    reader.close()
    postgres.corpus()
    postgres.writer().put(records(7), "one")
    assert generations() == 2


@NOT_HERE
def test_an_error_leaves_everything_as_it_was(postgres: PostgresEngine) -> None:
    postgres.writer().put(records(3), "one")
    first = postgres.corpus()
    for wrong, message in (
        (Record("r9", "", "A fact.", kind="fact", metadata={"names": [["a"], ["b"]]}), "is a fact"),
        (Record("r1", "", "Another text."), "Two records"),
        (Record("r\0", "", "A text."), "no database can store"),
    ):
        with pytest.raises(CorpusError, match=message):
            postgres.writer().put([*records(3), wrong], "one")
    with pytest.raises(CorpusError, match="already in collection 'one'"):
        postgres.writer().put(records(1), "two")
    assert postgres.corpus() is first


@NOT_HERE
def test_tables_of_a_newer_version_are_left_alone(postgres: PostgresEngine, address: str) -> None:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("update anamnesis.version set number = 99")
    with pytest.raises(IndexFolderError, match="tables of version 99"):
        PostgresEngine(address, HashEmbedder())


@NOT_HERE
def test_one_writes_at_a_time(postgres: PostgresEngine, address: str) -> None:
    from retrievers.postgres_migrations import LOCKS

    with psycopg.connect(address) as connection:
        connection.execute("select pg_advisory_xact_lock(%s, 0)", (LOCKS,))
        with pytest.raises(IndexFolderError, match="Another run is writing"):
            postgres.writer().put(records(1), "one")


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:se/same@db/name",
        "postgresql://ann:p@sesame@db/name",
        "postgresql://ann:se%same@db/name",
        "postgresql://ann:sesame@[db/name",
        "postgresql://ann@db/name?sesame",
        "postgresql://ann:sesame@db/name?unknown=1",
    ],
)
def test_a_password_that_is_written_wrongly_is_not_repeated(address: str) -> None:
    with pytest.raises(SettingError, match="cannot be read; it has the form") as raised:
        PostgresEngine(address, HashEmbedder())
    assert "same" not in "".join(traceback.format_exception(raised.value))


def test_searches_are_not_compiled_and_have_memory(postgres: PostgresEngine) -> None:
    with postgres.asking() as connection:
        row = connection.execute("select current_setting('jit'), current_setting('work_mem')")
        assert row.fetchone() == ("off", "64MB")
