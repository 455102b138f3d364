"""Fixtures for all tests, and what makes a run of all of them shorter."""

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import certifi
import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

# A busy machine is slow at times: no test asserts how long an example takes.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("deep", settings.get_profile("untimed"), max_examples=500)
settings.load_profile("untimed")

# Several processes test on few cores. Threads of torch that wait for a core use processor time.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Without its bytecode, every process of the tests would compile all modules.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

_TESTS = Path(__file__).resolve().parent
_SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets: ``ANAMNESIS_DATA``, else ``../shared/data``; skips without."""
    folder = Path(os.environ.get("ANAMNESIS_DATA", _SHARED_DATA))
    if not folder.is_dir():
        pytest.skip(f"no folder of data sets at {folder}; set ANAMNESIS_DATA")
    return folder


_LONGEST = (
    # Each process takes one of the first three, and at once the next three after them. Of the
    # first three one alone needs the starter corpus, or the others would wait for it.
    "tests/app/server/test_server_private.py",
    "tests/test_patterns.py",
    "tests/app/cli/test_reproduce.py",
    "tests/retrievers/test_bulk.py",
    "tests/test_docs.py",
    "tests/app/server/test_server_users.py",
    "tests/app/server/test_access_groups.py",
    "tests/retrievers/test_contract_of_quality.py",
    "tests/app/server/test_server.py",
    "tests/app/web/test_browser.py",
    "tests/test_readers_of_words.py",
    "tests/test_offline.py",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Each process begins to load the tests at another folder, where it loads all of them.

    The first to load a file rewrites its assertions, which takes much longer than to compile it,
    and keeps the result; side by side, every process would rewrite every file of a fresh clone.
    """
    config = session.config
    worker = getattr(config, "workerinput", None)
    if worker is None or [Path(given).resolve() for given in config.args] != [_TESTS]:
        return
    parts = sorted(
        {_TESTS / path.relative_to(_TESTS).parts[0] for path in _TESTS.rglob("test_*.py")}
    )
    files = [len([*part.rglob("test_*.py")]) or 1 for part in parts]
    place, count = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
    first = sum(done * count <= place * sum(files) for done in accumulate(files))
    config.args = [str(part) for part in (*parts[first:], *parts[:first])]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first: at the end, the other processes would wait for the last of them.

    The others by their paths, wherever a process began.
    """
    order = {name: place for place, name in enumerate(_LONGEST)}

    def place(item: pytest.Item) -> tuple[int, list[str]]:
        file = item.nodeid.split("::")[0]
        return order.get(file, len(order)), file.split("/")

    items.sort(key=place)


def pytest_collection_finish() -> None:
    """What is loaded by now stays: a collection of garbage need not walk through it each time."""
    gc.collect()
    gc.freeze()


_OF_ONE_SERVER = (
    "tests/app/server/test_server_users.py",
    "tests/app/server/test_server_identity.py",
    "tests/app/server/test_server_limits.py",
)
"""Files whose tests ask the server of ``users_server``: one process starts it and runs them."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """That of ``--dist loadfile``, which takes these files for one; xdist's own for the others."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByServer(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return _OF_ONE_SERVER[0] if file in _OF_ONE_SERVER else file

    return ByServer(config, log)


@pytest.fixture(scope="session", autouse=True)
def few_certificates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One certificate in place of all: each new HTTP client reads them, and few clients live long.

    No test speaks TLS. It is one of those that are trusted anyway, and processes that tests start
    read it as well.
    """
    last = "-----END CERTIFICATE-----\n"
    file = tmp_path_factory.mktemp("certificates") / "one.pem"
    file.write_text(certifi.contents().partition(last)[0] + last)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield


@pytest.fixture(scope="session")
def starter_home(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A data folder with the starter corpus, indexed by the real embedder.

    The first process that needs it makes it, and every process has a copy of its own.
    """
    from app.cli.main import main

    home = tmp_path_factory.mktemp("home") / "copy"
    alone = worker_id == "master"
    shared = tmp_path_factory.getbasetemp() if alone else tmp_path_factory.getbasetemp().parent
    made = shared / "starter"
    with FileLock(f"{made}.lock"):
        if not made.exists():
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("ANAMNESIS_HOME", f"{made}.part")
                assert main(["index", "starter", "--json"]) == 0
            Path(f"{made}.part").rename(made)
    shutil.copytree(made, home)
    return home


@pytest.fixture
def at_starter(starter_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of the starter corpus as that of the program."""
    monkeypatch.setenv("ANAMNESIS_HOME", str(starter_home))
    return starter_home


@pytest.fixture
def no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder: that of the test's temporary files."""
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals from 50 resamples, where a command draws 2,000 or 10,000 of them.

    What they are is tested in tests/evaluation/test_significance.py.
    """
    from evaluation.significance import intervals

    def few(statistic: Any, size: int, seed: int = 0, resamples: int = 50) -> Any:
        return intervals(statistic, size, seed, min(resamples, 50))

    reproduced = ("reproduce.mark", "reproduce.sparse_dense")
    for module in ("answers", "chatbot", "critic", "reader", *reproduced):
        monkeypatch.setattr(f"evaluation.{module}.intervals", few)
