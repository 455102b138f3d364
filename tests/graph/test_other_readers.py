"""Published readers in the graph: they are named, they read, and what they find is quoted."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file, save_file

from graph import Context, build_graph
from retrievers.index import Index
from tests.graph.conftest import ASK, ASTHMA, ScriptedCritic
from tests.tiny_models import save_bert, save_provence


def _sure(folder: Path, biases: Mapping[str, list[float]]) -> Path:
    """The model with outputs that say yes to everything, whatever it reads."""
    import torch

    weights = load_file(folder / "model.safetensors")
    weights |= {name: torch.tensor(bias) for name, bias in biases.items()}
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    return folder


@pytest.fixture(params=["provence", "cross-encoder"])
def named(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    if request.param == "cross-encoder":
        return _sure(save_bert(folder, {0: "LABEL_0"}), {"classifier.bias": [50.0]})
    biases = {"classifier.bias": [50.0], "token_classifier.bias": [0.0, 50.0]}
    return _sure(save_provence(folder), biases)


def test_what_a_named_reader_finds_is_quoted(small_index: Index, named: Path) -> None:
    graph = build_graph(index=small_index, critic=ScriptedCritic({}))
    context = Context(retrieval={"reranker": str(named)})
    state: dict[str, Any] = {}
    for update in graph.stream(ASK, context=context, stream_mode="updates"):
        for step in update.values():
            state |= step or {}
    assert all(item["relevance"] > 0.9 for item in state["selected"])
    assert all(chance > 0.9 for item in state["selected"] for *_, chance in item["sentences"])
    assert all(item["polar"] == {} for item in state["selected"])
    answer = state["answer"]
    assert answer["outcome"] == "answered"
    assert answer["statements"][0]["text"] in ASTHMA
