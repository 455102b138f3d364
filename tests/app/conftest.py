"""Stand-ins in place of the models of ``anamnesis evaluate``, and a server for users."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from nodes.policy import Policy
from tests.app.provider import AUDIENCE, ISSUER, Signer, rs256
from tests.app.server_process import Server, serving
from tests.fakes import HashEmbedder, NoReranker, WordCritic


@pytest.fixture(scope="session")
def signer() -> Signer:
    """The key of the identity provider that the server for users knows."""
    return rs256("r1")


@pytest.fixture(scope="session")
def users_server(
    starter_home: Path, tmp_path_factory: pytest.TempPathFactory, signer: Signer
) -> Iterator[Server]:
    """A server that records runs, for users of its tokens and of an identity provider."""
    home = tmp_path_factory.mktemp("tokens")
    (home / "index").symlink_to(starter_home / "index")
    (home / "models").symlink_to(starter_home / "models")
    # The operator offers one preset more than the default policy does.
    policy = {"callers": {**Policy().model_dump()["callers"], "preset": ["sparse-dense"]}}
    (home / "policy.json").write_text(json.dumps(policy))
    jwks = tmp_path_factory.mktemp("provider") / "jwks.json"
    jwks.write_text(json.dumps({"keys": [signer.public]}))
    environment = {
        "ANAMNESIS_TRACES": "1",
        "ANAMNESIS_OIDC_ISSUER": ISSUER,
        "ANAMNESIS_OIDC_AUDIENCE": AUDIENCE,
        "ANAMNESIS_OIDC_JWKS": str(jwks),
        "ANAMNESIS_OIDC_ROLE_CLAIM": "roles",
        # Tests send many wrong ones, all from one address.
        "ANAMNESIS_LIMIT_WRONG_TOKENS": "10000",
    }
    with serving(home, tmp_path_factory.mktemp("work"), **environment) as server:
        yield server


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch, few_resamples: None) -> None:
    """Stand-ins in place of every model, and few resamples."""
    monkeypatch.setattr("app.evaluate.retrieval.load_embedder", lambda *_: HashEmbedder())
    monkeypatch.setattr("nodes.parts.load_critic", lambda reference: WordCritic())
    monkeypatch.setattr("evaluation.methods.load_reranker", lambda reference: NoReranker())


@pytest.fixture
def home(tmp_path: Path, starter_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the test's own, with the starter corpus."""
    for shared in ("index", "models"):
        (tmp_path / shared).symlink_to(starter_home / shared)
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def new_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder that is not there yet."""
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def traced_home(no_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder in which runs are recorded."""
    monkeypatch.setenv("ANAMNESIS_TRACES", "1")
    return no_home
