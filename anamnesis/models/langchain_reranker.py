"""A reranker of LangChain for the graph: a cross-encoder or a document compressor.

It scores passages only. The project's reader scores their sentences and gives their answer to a
yes/no question.
"""

import math
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Literal

from langchain_core.documents import Document

from anamnesis.attributes import missing_attributes, require
from anamnesis.awaiting import EitherWay
from anamnesis.errors import ModelError
from anamnesis.models.reading import Reading
from anamnesis.models.reranker import Reranker, load_reranker

_SCORES = ("relevance_score", "score")
_PLACE = "anamnesis_place"
_OURS = ("name", "method", "score", "read")


def as_reranker(given: Any, reader: Reranker | None = None) -> Reranker:
    """The object as a ``Reranker``; ``reader`` reads the sentences (default: ``own``).

    It may be a ``Reranker``, a ``BaseCrossEncoder`` or a ``BaseDocumentCompressor``. Otherwise
    raises SettingError, which names the missing methods.
    """
    compresses = not missing_attributes(given, ["compress_documents"])
    ours = not missing_attributes(given, _OURS if compresses else ["read"])
    theirs = "compress_documents" if compresses or missing_attributes(given, ["score"]) else "score"
    require(
        "reranker",
        given,
        _OURS if ours else (theirs,),
        "give LangChain's BaseDocumentCompressor, or a BaseCrossEncoder, which has score",
    )
    return given if ours else LangChainReranker(given, reader)


class LangChainReranker:
    """A ``BaseCrossEncoder`` or ``BaseDocumentCompressor`` as a ``Reranker``.

    If all scores are in 0..1 they are used as probabilities, otherwise as log-odds. Passages that a
    compressor leaves out have relevance 0. If it gives no scores (``relevance_score`` or ``score``
    in the metadata), its order is used: the first gets the highest relevance that the project's
    reader gives to the remaining passages, and so on.
    """

    method: Literal["cross-encoder"] = "cross-encoder"

    def __init__(self, given: Any, reader: Reranker | None = None) -> None:
        self._given, self._way = given, EitherWay()
        self._reader = reader
        self._odds = False
        self.name = f"given:{type(given).__name__}"

    def score(self, query: str, passages: Sequence[tuple[str, str]]) -> list[float]:
        """A score in 0..1 for each passage, given as (heading, text); higher is better."""
        return [item.relevance for item in self.read(query, passages)] if passages else []

    def read(
        self,
        question: str,
        passages: Sequence[tuple[str, str]],
        metadata: Sequence[Mapping[str, Any]] = (),
    ) -> list[Reading]:
        """Its score as relevance; sentences and polar answers are from the project's reader.

        A compressor gets the ``metadata`` of each passage, without scores of earlier searches.
        """
        if not passages:
            return []
        reader = self._reader or load_reranker()
        readings = reader.read(question, passages)
        texts = [f"{heading} {text}".strip() for heading, text in passages]
        if missing_attributes(self._given, ["compress_documents"]):
            relevance = self._probabilities(self._pairs(question, texts))
        else:
            relevances = [item.relevance for item in readings]
            relevance = self._compressed(question, texts, relevances, metadata or [{}] * len(texts))
        return [item._replace(relevance=new) for item, new in zip(readings, relevance, strict=True)]

    def _pairs(self, question: str, texts: Sequence[str]) -> list[float]:
        given = self._call("score", [(question, text) for text in texts])
        try:
            scores = [float(item) for item in given]
        except (TypeError, ValueError):
            scores = [math.nan]
        if len(scores) != len(texts) or not all(map(math.isfinite, scores)):
            raise ModelError(
                f"reranker: score of {type(self._given).__name__} gave {len(scores)} scores for "
                f"{len(texts)} pairs, or one that is no number; it must give a number for each"
            )
        return scores

    def _compressed(
        self,
        question: str,
        texts: Sequence[str],
        ours: Sequence[float],
        metadata: Sequence[Mapping[str, Any]],
    ) -> list[float]:
        documents = [
            Document(text, metadata={**_without_scores(fields), _PLACE: n})
            for n, (text, fields) in enumerate(zip(texts, metadata, strict=True))
        ]
        kept = self._call("compress_documents", documents, question)
        if not isinstance(kept, Sequence):
            raise ModelError(
                f"reranker: compress_documents of {type(self._given).__name__} returned "
                f"{type(kept).__name__}; it must return a list of the documents that it keeps"
            )
        places = [self._place(item, texts) for item in kept]
        scores = [_score(item.metadata) for item in kept]
        if None in scores:
            values = sorted((ours[place] for place in dict.fromkeys(places)), reverse=True)
            given = dict(zip(dict.fromkeys(places), values, strict=True))
        else:
            real = self._probabilities([item for item in scores if item is not None])
            given = {}
            for place, value in zip(places, real, strict=True):
                given[place] = max(value, given.get(place, 0.0))
        return [given.get(place, 0.0) for place in range(len(texts))]

    def _place(self, document: Any, texts: Sequence[str]) -> int:
        """The number of the text from which a document was made."""
        place = getattr(document, "metadata", {}).get(_PLACE)
        if isinstance(place, int) and 0 <= place < len(texts):
            return place
        text = getattr(document, "page_content", None)
        if text in texts:
            return texts.index(text)
        raise ModelError(
            f"reranker: compress_documents of {type(self._given).__name__} gave a document that "
            "was not among those it was given; it must keep their metadata or their text"
        )

    def _probabilities(self, scores: Sequence[float]) -> list[float]:
        self._odds = self._odds or any(not 0 <= item <= 1 for item in scores)
        if not self._odds:
            return list(scores)
        return [1 / (1 + math.exp(-max(-60.0, min(60.0, item)))) for item in scores]

    def _call(self, method: str, *arguments: Any) -> Any:
        try:
            return self._way.call(self._given, method, *arguments)
        except NotImplementedError as error:
            raise ModelError(f"reranker: {error}; implement one of them") from error
        except Exception as error:
            # A provider's message may contain an address or a key; only the cause has it.
            raise ModelError(
                f"reranker: {method} of {type(self._given).__name__} failed with "
                f"{type(error).__name__}; make sure that its model can be reached"
            ) from error


def _without_scores(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return deepcopy({name: value for name, value in metadata.items() if name not in _SCORES})


def _score(metadata: Mapping[str, Any]) -> float | None:
    for name in _SCORES:
        try:
            value = float(metadata[name])
        except (KeyError, TypeError, ValueError):
            continue
        if math.isfinite(value):
            return value
    return None
