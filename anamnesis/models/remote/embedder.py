"""An embedder that a server runs (row H3)."""

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from anamnesis.errors import ModelError
from anamnesis.language.text import well_formed
from anamnesis.models.encoder import Progress, Vectors, sample_texts, unit
from anamnesis.models.reference import Reference
from anamnesis.models.remote.client import Client, client_of, length_of, number

_WINDOW = 512
"""The assumed window in tokens of a server that does not report one."""
_SAMPLES = 8
"""Sample texts whose vectors identify the model in its fingerprint."""
_SAME = 0.98
"""Cosine that a text's vector has at least with an earlier one of the same model. 8-bit arithmetic
keeps .995 on the shipped embedder (``OnnxEncoder`` refuses less), 16-bit more."""

Count = Callable[[Sequence[str]], list[int]]


class RemoteEmbedder:
    """Vectors of length 1 from a server.

    The fingerprint is the one that the server gives (``anamnesis models serve`` gives that of its
    embedder, so an index made on one machine is searched on another). If it reports none, the
    fingerprint is made of the model's name and, for the difference of each two sample vectors, the
    place and sign of its largest number. Another model would give others, and the same model gives
    the same ones at any precision. ``count`` counts the shipped embedder's tokens; for another
    model a fifth is added.

    A model that is exchanged while the program runs is noticed by the first request, before any of
    its vectors is used: one sample text goes along with each, and its vector must be the one that
    it had when the embedder was loaded. That is one short text more for each request of 31.
    """

    normalized = True

    def __init__(self, reference: Reference, count: Count) -> None:
        self._client: Client = client_of(reference)
        self._count = count
        self.reference = str(reference)
        options = reference.options
        self._query = options.get("query_prefix", "")
        self._document = options.get("document_prefix", "")
        told = self._client.get("/info") if self._client.dialect == "tei" else None
        info: dict[str, Any] = told if isinstance(told, dict) else {}
        self._exact = isinstance(info.get("fingerprint"), str)
        texts = sample_texts()[:_SAMPLES]
        parts = [self._asked(item, query=False) for item in self._client.parts(texts)]
        samples = self._joined(parts)
        self.dimensions = samples.shape[1]
        self._sample = texts[0]
        # Servers may embed questions otherwise.
        question = self._joined([self._asked([self._sample], query=True)])
        self._known = {False: samples[0], True: question[0]}
        self.window = self._client.window or length_of(info) or _WINDOW
        self.fingerprint = info["fingerprint"] if self._exact else self._print(info, samples)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special tokens not counted: rather too many."""
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
        for part in self._client.parts([well_formed(text) for text in texts], spare=1):
            rows.append(self._checked(part, query))
            if progress is not None:
                progress(len(part))
        if not rows:
            return np.empty((0, self.dimensions), np.float32)
        return self._joined(rows)

    def _checked(self, texts: Sequence[str], query: bool) -> Vectors:
        """The vectors of one request, with which that of the sample text came as it was."""
        if self._client.batch > 1:
            found = self._asked([*texts, self._sample], query)
            rows, sample = found[:-1], found[-1:]
        else:
            sample, rows = self._asked([self._sample], query), self._asked(texts, query)
        if rows.shape[1] != self.dimensions or (
            float(unit(sample)[0] @ self._known[query]) < _SAME
        ):
            raise ModelError(
                f"another model answers at {self.reference!r} than when this program loaded it: "
                "the same text has another vector now, and vectors of two models cannot be "
                "compared. Have the server run the earlier model again; or, if the exchange is "
                "meant, start this program anew and make the index anew with the new model "
                "(--rebuild)"
            )
        return rows

    def _joined(self, rows: Sequence[Vectors]) -> Vectors:
        if len({item.shape[1] for item in rows}) > 1:
            raise self._client.wrong("vectors of different lengths")
        return unit(np.concatenate(rows))

    def _asked(self, texts: Sequence[str], query: bool) -> Vectors:
        client = self._client
        # A server may refuse a text without a character.
        texts = [text if text.strip() else "." for text in texts]
        if client.dialect == "openai":
            reply = client.post(
                "/embeddings",
                {"model": client.model, "input": texts, "encoding_format": "float"},
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
            raise client.wrong("no vectors") from error
        if found.ndim != 2 or len(found) != len(texts) or not found.shape[1]:
            raise client.wrong(f"{len(found)} vectors for {len(texts)} texts")
        if not np.isfinite(found).all():
            raise client.wrong("vectors that are not numbers")
        return found

    def _print(self, info: dict[str, Any], samples: Vectors) -> str:
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
