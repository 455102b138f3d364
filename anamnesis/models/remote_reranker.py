"""A reranker and reader that a server runs [R4]."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from anamnesis.errors import SettingError
from anamnesis.language.text import well_formed
from anamnesis.models.reading import POLAR_OUTPUTS, Reader, Reading
from anamnesis.models.reference import Reference
from anamnesis.models.remote_client import client_of, number

Passage = tuple[str, str]


class RemoteReranker:
    """Scores of passages from a server.

    A server of ``anamnesis models serve`` gives relevance, sentences and verdict. Another server
    gives only the relevance, a score in 0..1; ``reader``, on this machine, then says which
    sentences answer.
    """

    method: Literal["cross-encoder"] = "cross-encoder"

    def __init__(self, reference: Reference, reader: Callable[[], Reader]) -> None:
        self._client = client_of(reference)
        if self._client.dialect == "openai":
            raise SettingError(
                f"model reference {str(reference)!r}: the dialect openai has no rerankers; write "
                "?api=tei or ?api=cohere"
            )
        self.name = f"cross-encoder:{reference}"
        self._reader = reader
        info = self._client.get("/info") if self._client.dialect == "tei" else None
        self.reads = isinstance(info, dict) and info.get("reads") is True
        # An unsuitable server is noticed when the model is loaded, not at the first question.
        self.score("What is a fever?", [("", "A fever is a high temperature.")])

    def score(self, query: str, passages: Sequence[Passage]) -> list[float]:
        """A score in 0..1 for each passage, given as (heading, text); higher is better."""
        texts = [well_formed(f"{heading} {text}".strip()) or "." for heading, text in passages]
        return [
            score
            for part in self._client.batches(texts)
            for score in self._request_scores(query, part)
        ]

    def read(self, question: str, passages: Sequence[Passage]) -> list[Reading]:
        """The same score as relevance, and one for each sentence of each passage."""
        if not passages:
            return []
        if self.reads:
            parts = self._client.batches(passages)
            return [item for part in parts for item in self._read(question, part)]
        scores = self.score(question, passages)
        readings = self._reader().read(question, passages)
        return [item._replace(relevance=new) for item, new in zip(readings, scores, strict=True)]

    def _request_scores(self, query: str, texts: Sequence[str]) -> list[float]:
        client, query = self._client, well_formed(query)
        if client.dialect == "tei":
            reply = client.post("/rerank", {"query": query, "texts": texts, "truncate": True})
            name = "score"
        else:
            body = {"model": client.model, "query": query, "documents": texts}
            reply = client.post("/v2/rerank", {**body, "top_n": len(texts)})
            name = "relevance_score"
        try:
            rows = reply["results"] if client.dialect == "cohere" else reply
            found = {int(item["index"]): number(item[name]) for item in rows}
            scores = [found[place] for place in range(len(texts))]
        except (KeyError, TypeError, ValueError) as error:
            raise client.protocol_error("no score for each text") from error
        if len(found) != len(texts) or not all(0 <= item <= 1 for item in scores):
            raise client.protocol_error("scores that are no probabilities of the texts")
        return scores

    def _read(self, question: str, passages: Sequence[Passage]) -> list[Reading]:
        asked = [[well_formed(heading), well_formed(text)] for heading, text in passages]
        body = {"question": well_formed(question), "passages": asked}
        reply = self._client.post("/read", body)
        try:
            if len(reply) != len(passages):
                raise ValueError("another number")
            return [_reading(item, text) for item, (_, text) in zip(reply, asked, strict=True)]
        except (KeyError, TypeError, ValueError) as error:
            raise self._client.protocol_error("no reading of each passage") from error


def _reading(item: Any, text: str) -> Reading:
    """A reading from a reply. Raises KeyError, TypeError or ValueError if it has another form."""
    sentences = tuple((int(a), int(b), _chance(value)) for a, b, value in item["sentences"])
    if any(not 0 <= a < b <= len(text) for a, b, _ in sentences):
        raise ValueError("a sentence that is not in the passage")
    polar = {name: _chance(item["polar"][name]) for name in POLAR_OUTPUTS} if item["polar"] else {}
    return Reading(_chance(item["relevance"]), sentences, polar)


def _chance(value: Any) -> float:
    found = number(value)
    if not 0 <= found <= 1:
        raise ValueError("no probability")
    return found
