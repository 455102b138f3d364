"""Graphs for onnxruntime, and tokenizers: opened from the models cache, and made if not there."""

import os
from collections.abc import Callable, Mapping
from hashlib import sha256
from json import dumps
from pathlib import Path
from typing import Any

from anamnesis.errors import ModelError
from anamnesis.models import bert_onnx, cpu
from anamnesis.models.cpu import Precision
from anamnesis.models.folders import file_digest, write_whole
from anamnesis.models.recipe import files_digests
from anamnesis.paths import models_cache

_CPU, _GPU = "CPUExecutionProvider", "CUDAExecutionProvider"


def on_gpu() -> bool:
    """Whether models compute on a GPU: onnxruntime-gpu is installed, and a GPU is not hidden.

    ``CUDA_VISIBLE_DEVICES`` hides GPUs if it is empty or -1, as for a worker of Ray without one.
    """
    import onnxruntime

    hidden = os.environ.get("CUDA_VISIBLE_DEVICES", "0") in ("", "-1")
    return not hidden and _GPU in onnxruntime.get_available_providers()


def quickest() -> Precision:
    """The fastest arithmetic for many texts: a GPU has no 8-bit integers in these graphs."""
    return "float32" if on_gpu() else cpu.document_precision(cpu.features())


def cache_of(folder: Path, config: Mapping[str, Any], **more: str) -> Path:
    """Where files derived from a model are: by its files, its configuration, and what is named."""
    key = {"files": files_digests(folder), "config": config, **more}
    return models_cache() / sha256(dumps(key, sort_keys=True).encode()).hexdigest()


def load_tokenizer(folder: Path, cache: Path, window: int | None) -> Any:
    """The tokenizer of a model folder, which cuts texts at ``window`` tokens (None: it cuts
    nothing).

    A tokenizer that is not in the fast format is converted once and stored in ``cache``. Raises
    ModelError if no tokenizer can be read.
    """
    from tokenizers import Tokenizer

    file = folder / "tokenizer.json"
    if not file.is_file():
        file = cache / "tokenizer.json"
        if not file.is_file():
            _convert_tokenizer(folder, file)
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises bare Exception
        raise ModelError(f"{file} cannot be read ({error}); copy the model again") from error
    tokenizer.no_padding()
    if window is None:
        tokenizer.no_truncation()
    else:
        tokenizer.enable_truncation(window)
    return tokenizer


def cached_session(
    cache: Path, precision: Precision, threads: int, make: Callable[[], bytes]
) -> Any:
    """A session on the graph that ``make`` serialises; the graph is made once and then stored.

    A stored graph that has changed is made again: it might load and give other vectors.
    """
    file = cache / f"{precision}-{bert_onnx.GRAPH_VERSION}.onnx"
    note = file.with_suffix(".sha256")
    try:
        if note.read_text("ascii") == file_digest(file):
            return _session_of(str(file), threads)
    except Exception:  # onnxruntime's own errors, and those for files of another format
        pass
    graph = make()
    digest = sha256(graph).hexdigest()
    written = write_whole(file, lambda path: path.write_bytes(graph))
    written = written and write_whole(note, lambda path: path.write_text(digest, "ascii"))
    return _session_of(str(file) if written else graph, threads)


def _session_of(graph: str | bytes, threads: int) -> Any:
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Threads that spin while they wait take processor time from threads that have work.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    # The extended level would fuse Add and LayerNormalization into a slower node.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    # What cannot run on the GPU runs on the processor.
    providers = [_GPU, _CPU] if on_gpu() else [_CPU]
    return onnxruntime.InferenceSession(graph, options, providers=providers)


def _convert_tokenizer(folder: Path, file: Path) -> None:
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(
            str(folder), trust_remote_code=False
        ).backend_tokenizer
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, lambda path: tokenizer.save(str(path)))
    except Exception as error:  # many kinds: missing files, unknown classes
        raise ModelError(f"folder {folder} has no tokenizer that can be read ({error})") from error
