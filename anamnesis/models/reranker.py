"""Rerankers and readers: how well passages answer a question, and which sentences do [R4, H5].

The project's reader also says how urgent a message is.
"""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

import numpy as np

from anamnesis.language.text import tokenize
from anamnesis.language.words import content_terms
from anamnesis.models.embedding import DEFAULT_EMBEDDER, Embedder, load_embedder
from anamnesis.models.encoder import unit
from anamnesis.models.once import LoadedObjects
from anamnesis.models.reading import Reading, Triage
from anamnesis.models.reference import SERVED, Reference, TriageClassifier, parse
from anamnesis.models.sentence_vectors import spans_and_texts, vectors_of

DEFAULT_RERANKER = "own"

# Sentences of a passage that are compared with the question. Two are as good as all of them.
_SENTENCES = 2


class Reranker(Protocol):
    """Scores passages for a question [R4]."""

    @property
    def name(self) -> str:
        """The name of the reranker for the trace: the method and its model."""

    @property
    def method(self) -> Literal["similarity", "cross-encoder"]:
        """What the score means."""

    def score(self, query: str, passages: Sequence[tuple[str, str]]) -> list[float]:
        """A score in 0..1 for each passage, given as (heading, text); higher is better."""

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        """The same score as relevance, and one for each sentence of each passage."""


class SimilarityReranker:
    """The mean of three cosines with the question, cut to 0..1.

    The cosines are those of the passage's heading, of its best sentence, and of the mean vector of
    heading and sentences. Only the two sentences that share the most words with the question are
    used. If the heading or the sentences are missing, the mean is over the other cosines.
    """

    method: Literal["similarity"] = "similarity"

    def __init__(self, embedder: Embedder) -> None:
        self.name = f"similarity:{embedder.reference}"
        self._embedder = embedder
        self._vectors = vectors_of(embedder)

    def score(self, query: str, passages: Sequence[tuple[str, str]]) -> list[float]:
        """A score in 0..1 for each passage, given as (heading, text); higher is better."""
        if not passages:
            return []
        cut = [spans_and_texts(text)[1] for _, text in passages]
        chosen = most_relevant_sentences(query, cut, _SENTENCES)
        texts = [
            [*([h] if h else []), *item] for (h, _), item in zip(passages, chosen, strict=True)
        ]
        flat = list(dict.fromkeys(text for item in texts for text in item))
        rows = dict(zip(flat, self._vectors(flat), strict=True))
        asked = unit(self._embedder.embed_queries([query]))[0]
        scores = []
        for (heading, _), sentences, item in zip(passages, chosen, texts, strict=True):
            if not item:
                scores.append(0.0)
                continue
            vectors = np.stack([rows[text] for text in item])
            cosines = vectors @ asked
            parts = [float(unit(vectors.mean(axis=0, keepdims=True))[0] @ asked)]
            if heading:
                parts.append(float(cosines[0]))
            if sentences:
                parts.append(float(cosines[-len(sentences) :].max()))
            scores.append(min(1.0, max(0.0, sum(parts) / len(parts))))
        return scores

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        """The same score as relevance; the score of a sentence is its cosine with the question."""
        asked = unit(self._embedder.embed_queries([question]))[0]
        found = []
        for relevance, (_, text) in zip(self.score(question, passages), passages, strict=True):
            spans, texts = spans_and_texts(text)
            near = np.clip(self._vectors(texts) @ asked, 0, 1) if texts else ()
            scored = ((*span, float(item)) for span, item in zip(spans, near, strict=True))
            found.append(Reading(relevance, tuple(scored), {}))
        return found


def most_relevant_sentences(
    query: str, groups: Sequence[Sequence[str]], most: int
) -> list[list[str]]:
    """From each group of sentences, the ``most`` that share the most content words with the query.

    Earlier sentences win ties; the order of the text is kept.
    """
    asked = set(content_terms(query))
    chosen = []
    for group in groups:
        shared = [len(asked.intersection(tokenize(sentence))) for sentence in group]
        best = sorted(range(len(group)), key=lambda place: (-shared[place], place))[:most]
        chosen.append([group[place] for place in sorted(best)])
    return chosen


_loaded = LoadedObjects[str, Reranker]()


def load_reranker(reference: str = DEFAULT_RERANKER) -> Reranker:
    """The reranker that a reference names, loaded once per process.

    ``own`` (the project's reader), a model that ranks and prunes
    (``hf:naver/provence-reranker-debertav3-v1``), another sequence classifier
    (``hf:cross-encoder/ms-marco-MiniLM-L-6-v2``, a folder), ``similarity``,
    ``similarity:EMBEDDER``, or a server's, ``http://…?api=tei``. Raises SettingError for an invalid
    reference, ModelError if the model cannot be loaded or has no label for relevance.
    """
    parsed = parse(reference)
    return _loaded.get_or_load(str(parsed), lambda: _load(parsed))


def _load(reference: Reference) -> Reranker:
    if reference.scheme == "similarity":
        reference.refuse_options_beyond(())
        return SimilarityReranker(load_embedder(reference.name or DEFAULT_EMBEDDER))
    if reference.scheme in SERVED:
        from anamnesis.models.remote_reranker import RemoteReranker

        return RemoteReranker(reference, load_reranker)
    if reference.scheme == "own":
        from anamnesis.models.reader import OwnReader

        return OwnReader(reference)
    from anamnesis.models.provence import ProvenceReader, is_provence
    from anamnesis.models.relevance import CrossEncoderReranker

    kind = ProvenceReader if is_provence(reference) else CrossEncoderReranker
    return kind(reference)


def load_triage(name: TriageClassifier = "own") -> Callable[[str], Triage] | None:
    """The model that classifies messages, loaded once per process; None for patterns, which need
    none.
    """
    if name == "patterns":
        return None
    from anamnesis.models.reader import OwnReader

    reader = load_reranker("own")
    assert isinstance(reader, OwnReader)
    return reader.triage
