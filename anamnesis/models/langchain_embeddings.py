"""LangChain's ``Embeddings`` as an embedder, for indexes that are made and searched with them."""

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from anamnesis.attributes import require
from anamnesis.awaiting import EitherWay
from anamnesis.errors import ModelError
from anamnesis.language.text import well_formed
from anamnesis.models.encoder import Progress, Vectors, unit
from anamnesis.models.once import loaded_once

SCHEME = "given"
"""The prefix of the reference of such an embedder, which cannot be loaded by name."""

_TOKEN = re.compile(r"\w{1,6}|[^\w\s]")
_AT_ONCE = 128  # documents per call
_NAMES = ("model", "model_name", "model_id", "deployment", "repo_id")


class LangChainEmbedder:
    """``Embeddings`` of LangChain as an ``Embedder``. Vectors are scaled to length 1.

    They are identified by class, model name and vector length. If a provider uses the same name for
    another model, this is not noticed.
    """

    normalized = True

    def __init__(self, given: Any, window: int = 256) -> None:
        """``window`` is the maximum number of tokens of a passage.

        Raises SettingError if ``given`` lacks the methods of ``Embeddings``.
        """
        require(
            "embeddings",
            given,
            ("embed_documents", "embed_query"),
            "give LangChain's Embeddings, such as HuggingFaceEmbeddings(…)",
        )
        self._given, self._way = given, EitherWay()
        self.window = self.query_window = window
        kind = type(given)
        named = (getattr(given, name, None) for name in _NAMES)
        model = next((item for item in named if isinstance(item, str) and item), "")
        self.reference = f"{SCHEME}:{kind.__module__}.{kind.__qualname__}" + (
            f"/{model}" if model else ""
        )
        self.identity = self.reference

    @loaded_once
    def dimensions(self) -> int:
        """Length of a vector, measured on a first text."""
        return int(self._unit_vectors([self._call("embed_query", "length")]).shape[1])

    @property
    def fingerprint(self) -> str:
        """SHA-256 in hex over class, name of the model and length of a vector."""
        return sha256(f"{self.identity} {self.dimensions}".encode()).hexdigest()

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """About the tokens of each text: words of up to six letters, and signs, are one each."""
        return [len(_TOKEN.findall(text)) for text in texts]

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Vectors (n, dimensions) of passages."""
        rows: list[Any] = []
        for start in range(0, len(texts), _AT_ONCE):
            part = [well_formed(text) for text in texts[start : start + _AT_ONCE]]
            given = self._call("embed_documents", part)
            if not isinstance(given, list):
                raise ModelError(
                    f"{self.reference}: embed_documents gave {type(given).__name__}; it must give "
                    "a list of vectors"
                )
            if len(given) != len(part):
                raise ModelError(
                    f"{self.reference}: embed_documents gave {len(given)} vectors for {len(part)} "
                    "texts; it must give one for each"
                )
            rows += given
            if progress is not None:
                progress(len(part))
        return self._vectors(rows)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors (n, dimensions) of questions."""
        return self._vectors([self._call("embed_query", well_formed(text)) for text in texts])

    def _ask(self, method: str, argument: Any) -> Any:
        """What a method gives; the items of an array or a generator as a list."""
        given = self._way.call(self._given, method, argument)
        # A generator fails only when it is read.
        return list(given) if isinstance(given, Iterable) else given

    def _call(self, method: str, argument: Any) -> Any:
        try:
            return self._ask(method, argument)
        except NotImplementedError as error:
            raise ModelError(f"embeddings: {error}; implement one of them") from error
        except Exception as error:
            # A provider's message may contain an address or a key; only the cause has it.
            raise ModelError(
                f"embeddings: {method} of {type(self._given).__name__} failed with "
                f"{type(error).__name__}; make sure that its provider can be reached"
            ) from error

    def _vectors(self, rows: Sequence[Any]) -> Vectors:
        if not rows:
            return np.empty((0, self.dimensions), np.float32)
        vectors = self._unit_vectors(rows)
        if vectors.shape[1] != self.dimensions:
            raise ModelError(
                f"{self.reference} gave a vector with {vectors.shape[1]} numbers, and earlier ones "
                f"with {self.dimensions}: it may have another model now; restart this program and, "
                "if the change is intended, rebuild the index (--rebuild)"
            )
        return vectors

    def _unit_vectors(self, rows: Sequence[Any]) -> Vectors:
        try:
            vectors = np.asarray(rows, np.float32)
        except (TypeError, ValueError, RuntimeError):  # RuntimeError: a tensor with gradients
            vectors = np.empty(0, np.float32)
        if vectors.ndim != 2 or not np.isfinite(vectors).all():
            raise ModelError(
                f"{self.reference} gave vectors of different lengths, or values other than numbers"
            )
        return unit(vectors)
