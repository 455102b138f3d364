"""Tiny random models, and a models cache of the test run's own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anamnesis.models.reader import OwnReader
from anamnesis.models.reranker import load_reranker
from tests.tiny_models import save_bert, save_tokenizer


@pytest.fixture(scope="session")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def models_home(shared_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One home for all tests of this folder, so that the default model is exported once."""
    monkeypatch.setenv("ANAMNESIS_HOME", str(shared_home))
    return shared_home


@pytest.fixture
def tiny_tokenizer() -> Callable[..., int]:
    """Saves the tokenizer that all tiny models share, and returns its number of tokens."""
    return save_tokenizer


@pytest.fixture
def tiny_bert(tmp_path: Path) -> Callable[..., Path]:
    """Saves a random BERT encoder, or a classifier if labels are given, and returns its folder."""

    def make(name: str = "bert", *given: Any, **settings: Any) -> Path:
        return save_bert(tmp_path / name, *given, **settings)

    return make


@pytest.fixture(scope="module")
def reader() -> OwnReader:
    """The project's own reader."""
    found = load_reranker("own")
    assert isinstance(found, OwnReader)
    return found
