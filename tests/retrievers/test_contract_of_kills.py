"""What every ``Corpus`` that we write holds when the program that writes it is killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrievers.facts import FactQuery
from retrievers.search import search
from tests.retrievers.conftest import QUERIES, records
from tests.retrievers.engines import ENGINES, Engine
from tests.retrievers.test_facts import facts

ROOT = Path(__file__).parents[2]
HELD, MORE = 12, 60

KILLED = f"""
import os, signal, sys
from pathlib import Path
from anamnesis.address import Address
from retrievers.opening import writer_at
from tests.fakes import HashEmbedder
from tests.retrievers.conftest import records

def die(*args):
    os.kill(os.getpid(), signal.SIGKILL)

class Embedder(HashEmbedder):
    def embed_documents(self, texts, progress=None):
        if where == "embedding":
            die()
        return super().embed_documents(texts, progress)

place, where = sys.argv[1:]
place = Address(place) if "://" in place else Path(place)
writer_at(place, Embedder).put(records({MORE}), "one", accept=die)
"""


@pytest.fixture(params=[engine for engine in ENGINES if engine.values[0].written])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    made: Engine = request.param(tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize("where", ["embedding", "before the switch"])
def test_a_writer_that_is_killed_changes_nothing_and_can_be_run_again(
    engine: Engine, where: str
) -> None:
    def found() -> list[object]:
        corpus = engine.opened()
        return [
            *(search(corpus, query, k=5) for query in QUERIES),
            corpus.facts(FactQuery("pyrexia"), 3),
        ]

    base = facts() if engine.facts else []
    engine.put(records(HELD))
    if base:
        engine.put(base, "base")
        assert found()[-1]
    before = found()
    engine.close()  # a file of milvus-lite is used by one process at a time
    run = subprocess.run(
        [sys.executable, "-c", KILLED, engine.address, where],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        capture_output=True,
        text=True,
    )
    assert run.returncode == -signal.SIGKILL, run.stderr
    engine.reopen()
    assert found() == before
    assert set(engine.opened().writer().content_hashes()) == {
        record.id for record in [*records(HELD), *base]
    }
    changes = engine.opened().writer().put(records(MORE), "one")
    assert (changes.added, changes.unchanged) == (MORE - HELD, HELD)
    assert len(engine.opened()) == MORE + len(base)
    # Nothing is there twice.
    ids = [hit["record_id"] for hit in search(engine.opened(), "treated", k=2 * MORE)]
    assert len(ids) == len(set(ids)) == MORE
