"""What to do until help comes: the first-aid steps of the starter corpus."""

from functools import cache

from anamnesis.corpus.passage import FROM_RECORD, Passage
from anamnesis.corpus.starter import read_starter
from anamnesis.language.text import sentences, well_formed
from anamnesis.models.embedding import Embedder
from anamnesis.models.encoder import Vectors
from anamnesis.models.once import LoadedObjects
from anamnesis.models.reading import log_odds
from anamnesis.models.reranker import Reranker
from nodes.checking.statements import quoted
from nodes.state import Statement

LEAST = 3.5
"""Minimum log-odds, from reader and embedder together, of a page whose steps are shown. Steps for
another emergency do harm, so steps are shown only if a page certainly fits.
"""
_READER = 0.35
_COSINE = 8.0


@cache
def pages() -> tuple[Passage, ...]:
    """The starter corpus' pages on first aid, each as one passage."""
    return tuple(
        Passage(
            id=f"{item.id}#0", record_id=item.id, start=0, end=len(item.text), text=item.text,
            **{name: getattr(item, name) for name in FROM_RECORD},
        )
        for item in read_starter()
        if item.metadata.get("category") == "first-aid"
    )  # fmt: skip


_vectors = LoadedObjects[str, Vectors]()  # the pages' vectors by the embedder's fingerprint


def steps(
    message: str, reader: Reranker, embedder: Embedder
) -> tuple[Passage, list[Statement]] | None:
    """The page that answers the message best, with its sentences; None if no page is certain.

    As in any search, the reader judges each page alone, and vectors say how near its topic is.
    """
    readings = reader.read(message, [(item.heading, item.text) for item in pages()])
    vectors = _vectors.get_or_load(
        embedder.fingerprint, lambda: embedder.embed_documents([item.embedded for item in pages()])
    )
    near = vectors @ embedder.embed_queries([well_formed(message)])[0]
    scores = [
        _READER * log_odds(item.relevance) + _COSINE * float(cosine)
        for item, cosine in zip(readings, near, strict=True)
    ]
    best = max(range(len(scores)), key=lambda place: scores[place])
    if scores[best] < LEAST:
        return None
    page = pages()[best]
    return page, [
        quoted(page.text[start:end], page.id, start, end) for start, end in sentences(page.text)
    ]
