"""Where onnxruntime computes: on the processor, or on a GPU that it can use."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnxruntime
import pytest

from anamnesis.models.embedding import load_embedder
from anamnesis.models.onnx_runtime import quickest

CPU, GPU = "CPUExecutionProvider", "CUDAExecutionProvider"


@pytest.mark.parametrize(
    ("visible", "wanted"), [(None, [GPU, CPU]), ("0", [GPU, CPU]), ("", [CPU]), ("-1", [CPU])]
)
def test_models_compute_on_a_gpu_that_onnxruntime_can_use(
    visible: str | None,
    wanted: list[str],
    tiny_bert: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[list[str]] = []
    session_class = onnxruntime.InferenceSession

    def session(graph: Any, options: Any, providers: list[str]) -> Any:
        asked.append(providers)
        return session_class(graph, options, providers=[CPU])

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [GPU, CPU])
    monkeypatch.setattr(onnxruntime, "InferenceSession", session)
    if visible is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    folder = tiny_bert(seed=100 + len(visible or "none"))
    vectors = load_embedder(str(folder)).embed_documents(["gout", "a fever", "gout"])
    assert vectors.shape[0] == 3
    assert asked
    assert all(providers == wanted for providers in asked)
    if GPU in wanted:
        assert quickest() == "float32"
