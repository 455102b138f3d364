"""Stand-ins in place of the models of ``anamnesis evaluate``."""

import pytest

from tests.fakes import HashEmbedder, NoReranker, WordCritic


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins in place of every model."""
    monkeypatch.setattr("app.evaluating_retrieval.load_embedder", lambda *_: HashEmbedder())
    monkeypatch.setattr("app.evaluating.load_critic", lambda reference: WordCritic())
    monkeypatch.setattr("evaluation.methods.load_reranker", lambda reference: NoReranker())
