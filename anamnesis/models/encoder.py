"""Encoders: one folder's model, texts to vectors, on onnxruntime or through torch."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from anamnesis.models import bert_onnx, cpu
from anamnesis.models.folders import write_whole
from anamnesis.models.once import LoadedObjects, loaded_once
from anamnesis.models.onnx_runtime import cached_session, load_tokenizer, on_gpu, quickest
from anamnesis.models.recipe import Recipe
from anamnesis.paths import models_cache

Vectors = npt.NDArray[np.float32]
Progress = Callable[[int], None]

# Texts that are tokenized together, and for which progress is reported together.
_CHUNK = 512
# Tokens in one run of the float32 graph; more than some hundreds are no faster.
_RUN_TOKENS = 512
_GPU_TOKENS = 16_384
# Threads that share the work of one question.
_QUERY_THREADS = min(4, cpu.workers())
# Minimum cosine of the int8 vectors of the sample texts. The minimum of a whole corpus is about
# .002 below the minimum of the sample, and .99 is promised.
_LEAST_AGREEMENT = 0.993


class Encoder(Protocol):
    """A model that turns texts into vectors, not yet normalised."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text without special tokens, however long it is."""

    def encode(self, texts: Sequence[str], bulk: bool, progress: Progress | None) -> Vectors:
        """Vectors (n, dimensions); ``bulk`` allows quicker arithmetic within cosine .99."""


def by_length(lengths: Sequence[int], tokens: int) -> list[list[int]]:
    """Positions grouped so that each group has one length and at most ``tokens`` in all.

    Longest first; a group holds one text at least.
    """
    same: dict[int, list[int]] = {}
    for position, length in enumerate(lengths):
        same.setdefault(length, []).append(position)
    groups = []
    for length in sorted(same, reverse=True):
        size = max(1, tokens // max(1, length))
        positions = same[length]
        groups += [positions[at : at + size] for at in range(0, len(positions), size)]
    return groups


def unit(vectors: Vectors) -> Vectors:
    """The vectors at length 1; a zero vector stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return cast(Vectors, vectors / np.maximum(lengths, 1e-12))


class OnnxEncoder:
    """A BERT encoder on onnxruntime; no torch is imported.

    Its graphs are written once to the models cache. With ``auto``, bulk texts are embedded with
    8-bit integers if the processor supports it and the vectors of sample texts agree. In 8 bits
    each text is run separately, so that its vector does not depend on other texts.
    """

    def __init__(self, recipe: Recipe, fingerprint: str, precision: cpu.ChosenPrecision) -> None:
        self._recipe = recipe
        self._cache = models_cache() / fingerprint
        self._wanted: cpu.Precision = quickest() if precision == "auto" else precision
        self._always = precision == "int8"
        self._sessions: LoadedObjects[tuple[str, int], Any] = LoadedObjects()
        self._cutter = self._tokenizer(recipe.window)
        self._pool = ThreadPoolExecutor(cpu.workers(), thread_name_prefix="encoder")
        self._session("float32", _QUERY_THREADS)  # so that a damaged model fails early

    def _tokenizer(self, window: int | None) -> Any:
        return load_tokenizer(self._recipe.transformer, self._cache, window)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text without special tokens, however long it is."""
        found = self._counter.encode_batch_fast(self._prepared(texts), add_special_tokens=False)
        return [len(each.ids) for each in found]

    def encode(self, texts: Sequence[str], bulk: bool, progress: Progress | None) -> Vectors:
        """Vectors (n, dimensions); ``bulk`` allows quicker arithmetic within cosine .99."""
        precision = self._bulk_precision if bulk else "float32"
        vectors = np.empty((len(texts), self._recipe.dimensions), np.float32)
        for start in range(0, len(texts), _CHUNK):
            part = texts[start : start + _CHUNK]
            vectors[start : start + len(part)] = self._run(part, precision, bulk)
            if progress is not None:
                progress(len(part))
        return vectors

    def _prepared(self, texts: Sequence[str]) -> list[str]:
        return [t.lower() for t in texts] if self._recipe.lower_case else list(texts)

    def _run(self, texts: Sequence[str], precision: cpu.Precision, bulk: bool) -> Vectors:
        # In bulk, texts run side by side in one thread each, which needs no waiting for each
        # other; a single question is quicker if several threads share its work.
        session = self._session(precision, 1 if bulk else _QUERY_THREADS)
        ids = [each.ids for each in self._cutter.encode_batch_fast(self._prepared(texts))]
        vectors = np.empty((len(ids), self._recipe.dimensions), np.float32)

        def run(group: list[int]) -> None:
            tokens = np.array([ids[i] for i in group], np.int64)
            vectors[group] = session.run(None, {"input_ids": tokens})[0]

        most = _GPU_TOKENS if on_gpu() else _RUN_TOKENS
        groups = by_length([len(i) for i in ids], 0 if precision == "int8" else most)
        if bulk and len(groups) > 1:
            list(self._pool.map(run, groups))
        else:
            for group in groups:
                run(group)
        return vectors

    @loaded_once
    def _counter(self) -> Any:
        return self._tokenizer(None)

    @loaded_once
    def _bulk_precision(self) -> cpu.Precision:
        if self._always:
            # Only here: questions are embedded in single precision, so that an index whose
            # documents were embedded elsewhere can be searched.
            cpu.refuse_overflow("embedding documents")
        agrees = self._wanted == "int8" and (self._always or self._agreement() >= _LEAST_AGREEMENT)
        return "int8" if agrees else "float32"

    def _agreement(self) -> float:
        """The minimum cosine between int8 and float32 vectors of the sample texts."""
        note = self._cache / f"agreement-{bert_onnx.GRAPH_VERSION}.json"
        try:
            return float(json.loads(note.read_text(encoding="utf-8"))["least_cosine"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # not measured yet
        samples = sample_texts()
        exact = unit(self._run(samples, "float32", bulk=False))
        quick = unit(self._run(samples, "int8", bulk=True))
        least = float((exact * quick).sum(axis=1).min())
        text = json.dumps({"least_cosine": least})
        write_whole(note, lambda path: path.write_text(text, encoding="utf-8"))
        return least

    def _session(self, precision: cpu.Precision, threads: int) -> Any:
        return self._sessions.get_or_load(
            (precision, threads), lambda: self._open(precision, threads)
        )

    def _open(self, precision: cpu.Precision, threads: int) -> Any:
        recipe = self._recipe

        def make() -> bytes:
            weights = bert_onnx.read_weights(recipe.transformer)
            return bert_onnx.build(weights, recipe.config, recipe.pooling, precision)

        return cached_session(self._cache, precision, threads, make)


def sample_texts() -> list[str]:
    """Texts of the kinds that are embedded, from a few words to several hundred."""
    short = [
        "What are the symptoms of high blood pressure?",
        "Is it safe to take ibuprofen with warfarin?",
        "How is type 2 diabetes treated ?",
        "What is (are) Adult Acute Lymphoblastic Leukemia ?",
        "fever night sweats weight loss",
        "Who is at risk for kidney stones?",
        "Adults: 500 mg by mouth every 8 hours for 7 days, not more than 4 g a day.",
        "HbA1c ≥ 6.5 % (48 mmol/mol); LDL 190 mg/dL; BP 140/90 mm Hg.",
    ]
    passages = [
        "High blood pressure usually has no symptoms. It is found when the pressure is measured. "
        "If it stays high for years, it can damage the heart, the brain, the kidneys and the eyes.",
        "The condition is inherited in an autosomal recessive pattern: both copies "
        "of the gene in each cell have mutations. The parents each carry one copy of the mutated "
        "gene, but they typically do not show signs of the disorder.",
        "Call your doctor at once if you have any of these: - chest pain or trouble breathing - "
        "fainting - black or bloody stools - swelling of the face, lips or tongue - a rash with "
        "blisters.",
        "In a randomised trial of 2,482 patients the relative risk was 0.71 (95 % CI 0.58 to 0.87; "
        "p = 0.001); adverse events did not differ between the groups.",
        "There is no cure. Treatment eases the symptoms and may include physical therapy, pain "
        "medicines, braces, and surgery in severe cases.",
    ]
    long = [" ".join(passages[i:] + passages[:i]) for i in range(len(passages))]
    pairs = [f"{q} [SEP] {p}" for q, p in zip(short, passages + passages, strict=False)]
    return short + passages + long + pairs
