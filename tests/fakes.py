"""Stand-ins for models: deterministic, instant, offline."""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Literal

import numpy as np
import numpy.typing as npt

from anamnesis.language.text import sentences, tokenize
from anamnesis.models.critic import Support
from anamnesis.models.reading import Reading


class HashEmbedder:
    """Embeds a text as the unit sum of one pseudo-random direction for each of its words.

    Texts that share words are near each other; ``calls`` keeps every document it embedded.
    """

    dimensions = 64
    window = 64
    normalized = True

    def __init__(self, fingerprint: str = "hash-1") -> None:
        self.reference = f"fake:{fingerprint}"
        self.fingerprint = fingerprint
        self.calls: list[str] = []

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def embed_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> npt.NDArray[np.float32]:
        self.calls += texts
        if progress is not None and texts:
            progress(len(texts))
        return self.embed_queries(texts)

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for word in tokenize(text) or [text]:
                seed = int.from_bytes(blake2b(word.encode(), digest_size=8).digest())
                vectors[row] += np.random.default_rng(seed).standard_normal(self.dimensions)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.maximum(norms, 1e-9)


class WordCritic:
    """Entailment by shared words, contradiction where the hypothesis has the word 'cause'."""

    name = "words"
    method: Literal["similarity", "entailment"] = "entailment"

    def judge(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        return [[self._one(s, p) for p in own] for s, own in zip(statements, premises, strict=True)]

    def _one(self, statement: str, premise: str) -> Support:
        words = set(statement.lower().split())
        shared = len(words & set(premise.lower().split())) / len(words)
        return Support(shared, 0.9 if "cause" in words else 0.0, 0, len(premise))


class ScriptedReader:
    """A reader that gives each sentence the score of its passage."""

    name = "scripted"
    method: Literal["similarity", "cross-encoder"] = "cross-encoder"

    def score(self, query: str, passages: Sequence[tuple[str, str]]) -> list[float]:
        raise NotImplementedError

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        return [
            Reading(score, tuple((*span, score) for span in sentences(text)), {})
            for score, (_, text) in zip(self.score(question, passages), passages, strict=True)
        ]


class NoReranker(ScriptedReader):
    """Finds all passages equal."""

    name = "none"

    def score(self, query: str, passages: Sequence[tuple[str, str]]) -> list[float]:
        return [0.5] * len(passages)
