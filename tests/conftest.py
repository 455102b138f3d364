"""Fixtures for all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is slow at times: no test asserts how long an example takes.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets: ``ANAMNESIS_DATA``, else ``../shared/data``; skips without."""
    folder = Path(os.environ.get("ANAMNESIS_DATA", _BESIDE))
    if not folder.is_dir():
        pytest.skip(f"no folder of data sets at {folder}; set ANAMNESIS_DATA")
    return folder


@pytest.fixture(scope="session")
def starter_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the starter corpus, indexed by the real embedder."""
    from app.cli.main import main

    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANAMNESIS_HOME", str(home))
        assert main(["index", "starter", "--json"]) == 0
    return home


@pytest.fixture
def at_starter(starter_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of the starter corpus as that of the program."""
    monkeypatch.setenv("ANAMNESIS_HOME", str(starter_home))
    return starter_home
