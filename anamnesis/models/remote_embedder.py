"""An embedder that a server runs [H3]."""

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from anamnesis.errors import ModelError
from anamnesis.language.text import well_formed
from anamnesis.models.encoder import Progress, Vectors, sample_texts, unit
from anamnesis.models.once import loaded_once
from anamnesis.models.reference import Reference
from anamnesis.models.remote_client import Client, client_of, number, window_of

_WINDOW = 256
"""The assumed window in tokens of a server that does not report one. Models that read more lose
nothing by shorter passages; a model that reads less than is assumed would not see their ends."""
_SAMPLES = 8
"""Sample texts whose vectors identify the model in its fingerprint."""
_SAME = 0.98
"""Minimum cosine of two vectors of the same text by the same model. With 8-bit arithmetic the
shipped embedder has at least .995 (``OnnxEncoder`` refuses less), with 16-bit more."""

Count = Callable[[Sequence[str]], list[int]]


class RemoteEmbedder:
    """Vectors of length 1 from a server.

    The fingerprint is the one that the server gives (``anamnesis models serve`` gives that of its
    embedder, so an index made on one machine is searched on another). If the server reports none,
    the fingerprint is made of the model's name and, for the difference of each two sample vectors,
    the position and sign of its largest number. These differ between models, but are the same for
    one model at any precision. ``count`` counts the tokens of the shipped embedder; for another
    model a fifth is added.

    If the model is replaced while the program runs, the first request notices this, before any
    vector is used: each request also embeds one sample text, whose vector must be the one that it
    had when the embedder was loaded. This adds one short text to each request of 31.
    """

    normalized = True

    def __init__(self, reference: Reference, count: Count) -> None:
        self._client: Client = client_of(reference)
        self._count = count
        self.reference = str(reference)
        options = reference.options
        self._query = options.get("query_prefix", "")
        self._document = options.get("document_prefix", "")
        reply = self._client.get("/info") if self._client.dialect == "tei" else None
        info: dict[str, Any] = reply if isinstance(reply, dict) else {}
        self._exact = isinstance(info.get("fingerprint"), str)
        texts = sample_texts()[:_SAMPLES]
        parts = [self._request_vectors(item, query=False) for item in self._client.batches(texts)]
        samples = self._concatenated(parts)
        self.dimensions = samples.shape[1]
        self._sample = texts[0]
        # Servers may embed questions differently.
        question = self._concatenated([self._request_vectors([self._sample], query=True)])
        self._known = {False: samples[0], True: question[0]}
        self._window = self._client.window or window_of(info, "embedder") or _WINDOW
        self.fingerprint = (
            info["fingerprint"] if self._exact else self._fingerprint_of(info, samples)
        )

    @loaded_once
    def window(self) -> int:
        """Tokens of a document that are used, special tokens included, its prefix excluded."""
        return self._without(self._document)

    @loaded_once
    def query_window(self) -> int:
        """The same for a question."""
        return self._without(self._query)

    def _without(self, prefix: str) -> int:
        return self._window - (self.count_tokens([prefix])[0] if prefix else 0)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special tokens not counted; the estimate tends to be too high."""
        counts = self._count(texts)
        return counts if self._exact else [-(-count * 6 // 5) for count in counts]

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Vectors (n, dimensions) of passages."""
        return self._vectors([self._document + text for text in texts], False, progress)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors (n, dimensions) of questions."""
        return self._vectors([self._query + text for text in texts], query=True)

    def _vectors(
        self, texts: Sequence[str], query: bool, progress: Progress | None = None
    ) -> Vectors:
        rows: list[Vectors] = []
        for part in self._client.batches([well_formed(text) for text in texts], spare=1):
            rows.append(self._checked(part, query))
            if progress is not None:
                progress(len(part))
        if not rows:
            return np.empty((0, self.dimensions), np.float32)
        return self._concatenated(rows)

    def _checked(self, texts: Sequence[str], query: bool) -> Vectors:
        """The vectors of one request, after the vector of the sample text was compared."""
        if self._client.batch > 1:
            found = self._request_vectors([*texts, self._sample], query)
            rows, sample = found[:-1], found[-1:]
        else:
            sample = self._request_vectors([self._sample], query)
            rows = self._request_vectors(texts, query)
        if rows.shape[1] != self.dimensions or (
            float(unit(sample)[0] @ self._known[query]) < _SAME
        ):
            raise ModelError(
                f"the model at {self.reference!r} has changed since this program loaded it: the "
                "same text now has another vector, and vectors of two models cannot be compared. "
                "Have the server run the earlier model again; or, if the change is intended, "
                "restart this program and rebuild the index with the new model (--rebuild)"
            )
        return rows

    def _concatenated(self, rows: Sequence[Vectors]) -> Vectors:
        if len({item.shape[1] for item in rows}) > 1:
            raise self._client.protocol_error("vectors of different lengths")
        return unit(np.concatenate(rows))

    def _request_vectors(self, texts: Sequence[str], query: bool) -> Vectors:
        client = self._client
        # A server may refuse a text without a character.
        texts = [text if text.strip() else "." for text in texts]
        if client.dialect == "openai":
            reply = client.post(
                "/embeddings", {"model": client.model, "input": texts, "encoding_format": "float"}
            )
        elif client.dialect == "tei":
            # `anamnesis models serve` may have another encoder for questions.
            asked = {"query": query} if self._exact else {}
            reply = client.post("/embed", {"inputs": texts, "truncate": True, **asked})
        else:
            body = {"model": client.model, "texts": texts, "embedding_types": ["float"]}
            kind = "search_query" if query else "search_document"
            reply = client.post("/v2/embed", {**body, "input_type": kind})
        try:
            found = np.array(_rows(client.dialect, reply), np.float32)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise client.protocol_error("no vectors") from error
        if found.ndim != 2 or len(found) != len(texts) or not found.shape[1]:
            raise client.protocol_error(f"{len(found)} vectors for {len(texts)} texts")
        if not np.isfinite(found).all():
            raise client.protocol_error("vectors that are not numbers")
        return found

    def _fingerprint_of(self, info: dict[str, Any], samples: Vectors) -> str:
        apart = np.diff(samples, axis=0)
        largest = np.abs(apart).argmax(axis=1)
        marks = [[int(at), bool(row[at] > 0)] for at, row in zip(largest, apart, strict=True)]
        named = self._client.model or info.get("model_id")
        parts = [named, info.get("model_sha"), self._query, self._document, self.dimensions]
        return sha256(json.dumps([*parts, *marks]).encode()).hexdigest()


def _rows(dialect: str, reply: Any) -> list[list[float]]:
    """The vectors of a reply, in the order of the texts."""
    if dialect == "openai":
        rows = sorted(reply["data"], key=lambda item: int(item["index"]))
        if [item["index"] for item in rows] != list(range(len(rows))):
            raise ValueError("places missing")
        found = [item["embedding"] for item in rows]
    else:
        found = reply if dialect == "tei" else reply["embeddings"]["float"]
    return [[number(value) for value in row] for row in found]
