"""Sequence classifiers over pairs of texts: a BERT on onnxruntime, any other through torch."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import RLock
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from anamnesis.errors import ModelError
from anamnesis.models import bert_onnx, cpu, own_weights
from anamnesis.models.bounded_cache import BoundedCache, key_of
from anamnesis.models.onnx_runtime import cache_of, cached_session, load_tokenizer, quickest
from anamnesis.models.recipe import read_json

Scores = npt.NDArray[np.float32]
Pair = tuple[str, str]

_BATCH = 16
_KEPT = 50_000  # cached pairs at most, of some 100 bytes each
# Tokenizers of the RoBERTa family count positions from 2.
_OFFSET = {"roberta": 2, "xlm-roberta": 2, "camembert": 2, "longformer": 2}
# Endings of the class names of models that generate text. They can be loaded as classifiers, but
# then their outputs are untrained.
_GENERATING = ("ForConditionalGeneration", "ForCausalLM", "LMHeadModel")


class Classifier(Protocol):
    """One folder's model: pairs of texts to raw outputs.

    ``labels`` are the names of the outputs, in their order; ``window`` is the number of tokens of
    a pair, ``frame`` special tokens included.
    """

    labels: tuple[str, ...]
    window: int
    frame: int

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text without special tokens, however long it is."""

    def logits(self, pairs: Sequence[Pair]) -> Scores:
        """Raw outputs (n, labels); what does not fit the window is cut."""


class OverlongPairError(ModelError):
    """A pair of texts does not fit a model's window, and nothing of it may be cut off."""


class CachedPairs:
    """Base of classifiers whose outputs are cached: the same pairs come back in every round."""

    labels: tuple[str, ...]

    def __init__(self) -> None:
        self._kept = BoundedCache[Scores](_KEPT)

    def logits(self, pairs: Sequence[Pair]) -> Scores:
        """Outputs (n, labels) of pairs that fit the window; a pair is scored once.

        Raises ModelError if an output is not a number.
        """
        if not pairs:
            return np.empty((0, len(self.labels)), np.float32)
        keys = [key_of(*pair) for pair in pairs]
        return np.stack(
            self._kept.get_or_make(keys, lambda places: self._rows([pairs[p] for p in places]))
        )

    def _rows(self, pairs: Sequence[Pair]) -> list[Scores]:
        raise NotImplementedError


class TokenizerCounts:
    """Base of models that count tokens with a tokenizer of transformers."""

    _tokenizer: Any

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text without those that frame it, however long it is."""
        found = self._tokenizer(list(texts), add_special_tokens=False, verbose=False)
        return [len(ids) for ids in found["input_ids"]]


class OnnxClassifier:
    """A BERT classifier on onnxruntime; no torch is imported.

    Each pair is run separately, several in parallel, so that its outputs do not depend on the other
    pairs. ``auto`` uses 8-bit integers if the processor multiplies them safely; the caller must
    have measured that the model tolerates it.
    """

    frame = 3

    def __init__(
        self, folder: Path, config: dict[str, Any], precision: cpu.ChosenPrecision
    ) -> None:
        self._folder, self._config = folder, config
        self._cache = cache_of(folder, config)
        self.labels = _labels(config)
        settings = read_json(folder / "tokenizer_config.json", {})
        limit = settings.get("model_max_length") or 1 << 30
        self.window = min(int(limit), int(config["max_position_embeddings"]))
        self._typed = _has_types(settings)
        self._cutter = load_tokenizer(folder, self._cache, self.window)
        self._counter = load_tokenizer(folder, self._cache, None)
        chosen = quickest() if precision == "auto" else precision
        self._session = cached_session(self._cache, chosen, 1, lambda: self._graph(chosen))
        self._pool = ThreadPoolExecutor(cpu.workers(), thread_name_prefix="classifier")

    def _graph(self, precision: cpu.Precision) -> bytes:
        if (file := self._folder / own_weights.CRITIC).is_file():
            weights: bert_onnx.Weights = own_weights.read_whole(file)
        else:
            weights = bert_onnx.read_weights(self._folder)
        return bert_onnx.build_classifier(weights, self._config, precision)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text without special tokens, however long it is."""
        found = self._counter.encode_batch_fast(list(texts), add_special_tokens=False)
        return [len(each.ids) for each in found]

    def logits(self, pairs: Sequence[Pair]) -> Scores:
        """Raw outputs (n, labels); what does not fit the window is cut."""
        encoded = self._cutter.encode_batch_fast(list(pairs))
        found = np.empty((len(pairs), len(self.labels)), np.float32)

        def run(place: int) -> None:
            pair_tokens = encoded[place]
            feeds = {
                "input_ids": np.array([pair_tokens.ids], np.int64),
                "token_type_ids": np.array([pair_tokens.type_ids], np.int64) * self._typed,
            }
            found[place] = self._session.run(None, feeds)[0][0]

        # Longest first, so that no thread has to process a long one at the end.
        order = sorted(range(len(pairs)), key=lambda place: -len(encoded[place].ids))
        list(self._pool.map(run, order))
        return found


class TorchClassifier(TokenizerCounts):
    """Any sequence classifier that transformers can load from a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        import torch
        from transformers import AutoModelForSequenceClassification, AutoTokenizer
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        self._torch: Any = torch
        self._lock = RLock()
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(str(folder), trust_remote_code=False)
            self._model: Any
            self._model, found = AutoModelForSequenceClassification.from_pretrained(
                str(folder),
                dtype=torch.float32,
                local_files_only=True,
                trust_remote_code=False,  # otherwise it would be asked for on the terminal
                output_loading_info=True,
            )
        except Exception as error:  # many kinds of errors: missing files, unknown classes, shapes
            raise ModelError(
                f"model {name!r} cannot be loaded as a sequence classifier "
                f"({type(error).__name__}: {error}); name a cross-encoder or an NLI model"
            ) from error
        if missing := sorted(found["missing_keys"]):
            # transformers initialises them at random and only logs a warning.
            raise ModelError(
                f"model {name!r} is not a sequence classifier: its weights lack "
                f"{', '.join(missing)}; name a cross-encoder or an NLI model"
            )
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model.eval().to(self._device)
        config = self._model.config
        self.labels = tuple(str(config.id2label[place]) for place in range(config.num_labels))
        positions = getattr(config, "max_position_embeddings", None) or 1 << 30
        positions -= _OFFSET.get(config.model_type, 0)
        self.window = int(min(self._tokenizer.model_max_length, positions))
        self.frame = int(self._tokenizer.num_special_tokens_to_add(pair=True))

    def logits(self, pairs: Sequence[Pair]) -> Scores:
        """Raw outputs (n, labels); what does not fit the window is cut."""
        sizes = self.count_tokens([f"{a} {b}" for a, b in pairs])
        order = sorted(range(len(pairs)), key=lambda place: -sizes[place])
        found = np.empty((len(pairs), len(self.labels)), np.float32)
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            with self._lock:
                batch = self._tokenizer(
                    [pairs[place][0] for place in places],
                    [pairs[place][1] for place in places],
                    padding=True,
                    truncation=True,
                    max_length=self.window,
                    return_tensors="pt",
                )
            with self._torch.inference_mode():
                found[places] = self._model(**batch.to(self._device)).logits.float().cpu().numpy()
        return found


def open_classifier(folder: Path, name: str, precision: cpu.ChosenPrecision) -> Classifier:
    """The model in a folder, with the suitable runtime; ``name`` is for messages.

    Raises ModelError if it is not a sequence classifier.
    """
    config = read_json(folder / "config.json", {})
    generating = [item for item in config.get("architectures") or () if item.endswith(_GENERATING)]
    if generating:
        raise ModelError(
            f"model {name!r} writes text ({', '.join(generating)}) and does not classify; name a "
            "sequence classifier (MiniCheck has some in addition to its flan-t5), or, as a "
            "critic, serve it as a chat model and name it after llm:"
        )
    stored = any((folder / name).is_file() for name in (own_weights.CRITIC, "model.safetensors"))
    if bert_onnx.can_build_classifier(config) and stored:
        return OnnxClassifier(folder, config, precision)
    return TorchClassifier(folder, name)


def _has_types(settings: dict[str, Any]) -> bool:
    """Whether the model gets with each token from which of the two texts it is."""
    names = settings.get("model_input_names")
    if names is None:
        return str(settings.get("tokenizer_class", "BertTokenizer")).startswith("Bert")
    return "token_type_ids" in names


def _labels(config: dict[str, Any]) -> tuple[str, ...]:
    named = config.get("id2label") or {str(place): f"label_{place}" for place in range(2)}
    return tuple(str(named[str(place)]) for place in range(len(named)))
