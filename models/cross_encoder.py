"""Scores of text pairs by a sequence classifier from transformers (rows R4, S4)."""

from collections.abc import Sequence
from threading import Lock
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from anamnesis.errors import ModelError
from models.folders import folder_of
from models.reference import Reference, parse
from models.windows import windows

_BATCH = 16
# Tokens kept free in a window: joined texts can be split into tokens a little differently.
_SPARE = 4
# Tokenizers of the RoBERTa family count positions from 2.
_OFFSET = {"roberta": 2, "xlm-roberta": 2, "camembert": 2, "longformer": 2}
_RELEVANT = frozenset({"relevant", "relevance", "positive", "yes", "true", "entailment"})

Scores = npt.NDArray[np.float32]


class CrossEncoder:
    """A sequence classifier over pairs of texts; load it with ``load_cross_encoder``.

    ``labels`` are the names of its outputs in order, in lower case; one output needs no name.
    ``window`` is the number of tokens of a pair, special tokens included.
    """

    def __init__(self, reference: Reference) -> None:
        reference.refuse_options_beyond(("revision",))
        folder = folder_of(reference)
        import torch
        from transformers import AutoModelForSequenceClassification, AutoTokenizer
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        self._torch: Any = torch
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(str(folder))
            self._model: Any = AutoModelForSequenceClassification.from_pretrained(
                str(folder), dtype=torch.float32, local_files_only=True
            )
        except Exception as error:  # many kinds: missing files, unknown classes, shapes
            raise ModelError(
                f"model {str(reference)!r} cannot be loaded as a sequence classifier "
                f"({type(error).__name__}: {error}); name a cross-encoder or an NLI model"
            ) from error
        self._model.eval()
        self.reference = str(reference)
        config = self._model.config
        self.labels = tuple(
            str(config.id2label[place]).strip().casefold() for place in range(config.num_labels)
        )
        limits = [
            self._tokenizer.model_max_length,
            getattr(config, "max_position_embeddings", None) or 1 << 30,
        ]
        self.window = int(min(limits[0], limits[1] - _OFFSET.get(config.model_type, 0)))
        self._frame = int(self._tokenizer.num_special_tokens_to_add(pair=True))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special tokens not counted."""
        if not texts:
            return []
        found = self._tokenizer(list(texts), add_special_tokens=False, verbose=False)
        return [len(ids) for ids in found["input_ids"]]

    def room(self, *beside: str) -> int:
        """Tokens left for one text of a pair beside the other (none: for both together)."""
        left = self.window - self._frame - _SPARE - sum(self.count_tokens(beside))
        return max(1, left)

    def logits(self, pairs: Sequence[tuple[str, str]]) -> Scores:
        """Raw outputs (n, labels) of pairs that fit the window; equal pairs are scored once.

        Raises ModelError if an output is not a number.
        """
        distinct = list(dict.fromkeys(pairs))
        sizes = self.count_tokens([f"{a} {b}" for a, b in distinct])
        order = sorted(range(len(distinct)), key=lambda place: -sizes[place])
        found = np.empty((len(distinct), len(self.labels)), np.float32)
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            batch = self._tokenizer(
                [distinct[place][0] for place in places],
                [distinct[place][1] for place in places],
                padding=True,
                truncation=True,
                max_length=self.window,
                return_tensors="pt",
            )
            with self._torch.inference_mode():
                found[places] = self._model(**batch).logits.float().numpy()
        if not np.isfinite(found).all():
            raise ModelError(f"model {self.reference!r} gave scores that are not numbers")
        rows = {pair: place for place, pair in enumerate(distinct)}
        return found[[rows[pair] for pair in pairs]]


class CrossEncoderReranker:
    """A passage's score is that of its best window with the question (row R4).

    One output goes through the sigmoid; of several, the softmax of the one whose label says
    relevance counts. A question longer than half the window is shortened to that.
    """

    method: Literal["cross-encoder"] = "cross-encoder"

    def __init__(self, reference: Reference) -> None:
        self._model = load_cross_encoder(str(reference))
        self.name = f"cross-encoder:{reference}"
        labels = self._model.labels
        relevant = [place for place, label in enumerate(labels) if label in _RELEVANT]
        if len(labels) > 1 and len(relevant) != 1:
            raise ModelError(
                f"model {str(reference)!r} has the labels {', '.join(labels)}, of which none (or "
                "more than one) says relevance; name a reranker with one output, or call one "
                "label 'relevant' in id2label of its config.json"
            )
        self._relevant = relevant[0] if len(labels) > 1 else None

    def score(self, query: str, passages: Sequence[tuple[str, str]]) -> list[float]:
        """A score in 0..1 for each passage, given as (heading, text); higher is better."""
        model = self._model
        asked = windows(query, model.room() // 2, model.count_tokens)
        query = query[asked[0].start : asked[0].end] if asked else ""
        pairs: list[tuple[str, str]] = []
        sizes = []
        for heading, text in passages:
            whole = f"{heading} {text}".strip()
            parts = windows(whole, model.room(query), model.count_tokens)
            pairs += [(query, whole[part.start : part.end]) for part in parts] or [(query, "")]
            sizes.append(max(1, len(parts)))
        if not pairs:
            return []
        values = self._probabilities(model.logits(pairs))
        ends = np.cumsum(sizes)
        return [
            float(values[end - size : end].max()) for end, size in zip(ends, sizes, strict=True)
        ]

    def _probabilities(self, logits: Scores) -> Scores:
        if self._relevant is None:
            return cast(Scores, 1 / (1 + np.exp(-logits[:, 0].clip(-60, 60))))
        return softmax(logits)[:, self._relevant]


def softmax(logits: Scores) -> Scores:
    """Probabilities (n, labels) of raw outputs (n, labels)."""
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return cast(Scores, raised / raised.sum(axis=1, keepdims=True))


_loaded: dict[str, CrossEncoder] = {}
_lock = Lock()


def load_cross_encoder(reference: str) -> CrossEncoder:
    """The sequence classifier of a reference, loaded once a process.

    Raises SettingError for a reference that is none, ModelError if it cannot be loaded.
    """
    parsed = parse(reference)
    with _lock:
        if str(parsed) not in _loaded:
            _loaded[str(parsed)] = CrossEncoder(parsed)
        return _loaded[str(parsed)]
