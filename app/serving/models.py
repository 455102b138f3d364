"""The served models: an embedder, a reader and a critic, each with its own queue."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anamnesis.entailment import LABELS
from anamnesis.models.classifier import OverlongPairError, Pair
from anamnesis.models.cross_encoder import load_cross_encoder
from anamnesis.models.embedding import DEFAULT_EMBEDDER, Embedder, load_embedder
from anamnesis.models.encoder import Vectors
from anamnesis.models.labels import softmax
from anamnesis.models.onnx_runtime import on_gpu
from anamnesis.models.reading import Reading
from anamnesis.models.reranker import DEFAULT_RERANKER, load_reranker
from app.serving.batching import Batcher

_SPECIAL = 2  # tokens that begin and end a text

_AT_ONCE = 16
"""Passages or pairs of a run on the processor: others wait for it, about a second on two busy
cores."""
_AT_ONCE_ON_GPU = 64


@dataclass(frozen=True, slots=True)
class Names:
    """References of the served models; None for each that is not served."""

    embedder: str | None = DEFAULT_EMBEDDER
    reranker: str | None = DEFAULT_RERANKER
    critic: str | None = "own"


@dataclass(slots=True)
class Served:
    """The loaded models, and their queues: ``documents``, ``queries``, ``readings``, ``labels``.

    A pair for ``labels`` comes with whether what does not fit may be cut; if not, and if it does
    not fit, OverlongPairError is raised.

    Raises SettingError or ModelError, as the loaders do, for a model that cannot be loaded.
    """

    names: Names
    info: dict[str, Any] = field(init=False)
    documents: Batcher[str, Any] | None = field(init=False, default=None)
    queries: Batcher[str, Any] | None = field(init=False, default=None)
    readings: Batcher[tuple[str, Pair], Reading] | None = field(init=False, default=None)
    labels: Batcher[tuple[Pair, bool], dict[str, float]] | None = field(init=False, default=None)
    _embedder: Embedder | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        names = self.names
        most = _AT_ONCE_ON_GPU if on_gpu() else _AT_ONCE
        # The reranker has no window: it reads a longer passage in parts.
        windows: dict[str, int] = {}
        self.info = {
            "model_id": names.embedder or names.reranker or names.critic,
            "reads": False,
            "windows": windows,
        }
        if names.embedder is not None:
            embedder = self._embedder = load_embedder(names.embedder)
            self.documents = Batcher(embedder.embed_documents)
            self.queries = Batcher(embedder.embed_queries)
            self.info |= {
                "fingerprint": embedder.fingerprint,
                "dimensions": embedder.dimensions,
                "max_input_length": embedder.window,
            }
            windows["embedder"] = embedder.window
        if names.reranker is not None:
            reranker = load_reranker(names.reranker)

            def read(items: Sequence[tuple[str, Pair]]) -> list[Reading]:
                by_question: dict[str, list[int]] = {}
                for place, (question, _) in enumerate(items):
                    by_question.setdefault(question, []).append(place)
                found: dict[int, Reading] = {}
                for question, places in by_question.items():
                    computed = reranker.read(question, [items[place][1] for place in places])
                    found |= dict(zip(places, computed, strict=True))
                return [found[place] for place in range(len(items))]

            self.readings = Batcher(read, most=most)
            self.info |= {"reads": True, "reranker": reranker.name}
        if names.critic is not None:
            model = load_cross_encoder(names.critic)
            places = [at for at, item in enumerate(model.labels) if item in LABELS]
            places = places or list(range(len(model.labels)))

            def label(items: Sequence[tuple[Pair, bool]]) -> list[dict[str, float]]:
                model.refuse_overlong([pair for pair, cut in items if not cut])
                rows = softmax(model.logits([pair for pair, _ in items])[:, places])
                shown = [model.labels[at] for at in places]
                return [dict(zip(shown, map(float, row), strict=True)) for row in rows]

            self.labels = Batcher(label, most=most)
            windows["critic"] = model.window
            self.info |= {"critic": names.critic}
            self.info.setdefault("max_input_length", model.window)

    def refuse_overlong(self, texts: Sequence[str], queries: bool) -> None:
        """Raise OverlongPairError if the embedder would cut one of the documents or queries."""
        if self._embedder is None or not texts:
            return
        window = self._embedder.query_window if queries else self._embedder.window
        longest = max(self._embedder.count_tokens(texts)) + _SPECIAL
        if longest > window:
            raise OverlongPairError(
                f"a text has {longest} tokens and the embedder reads {window}, special tokens "
                "included; send shorter texts"
            )

    def close(self) -> None:
        """Close the queues."""
        for item in (self.documents, self.queries, self.readings, self.labels):
            if item is not None:
                item.close()


def json_vectors(vectors: Vectors) -> list[list[float]]:
    """Vectors for a reply: six digits, more than a cosine needs."""
    return [[float(value) for value in row] for row in np.round(vectors, 7)]


def base64_vectors(vectors: Vectors) -> list[str]:
    """Vectors for a reply: 32-bit numbers, the lowest byte first, in base64."""
    return [b64encode(row.astype("<f4").tobytes()).decode("ascii") for row in vectors]
