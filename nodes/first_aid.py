"""What to do until help comes: the steps of first aid that the starter corpus has."""

from functools import cache

from anamnesis.text import sentences
from corpus.passage import Passage
from corpus.starter import read_starter
from models.reranker import Reranker
from nodes.draft import statement
from nodes.state import Statement

LEAST = 0.5
"""Least relevance of a page whose steps are given."""


@cache
def pages() -> tuple[Passage, ...]:
    """The starter corpus' pages on first aid, each as one passage."""
    return tuple(
        Passage(
            id=f"{own.id}#0", record_id=own.id, start=0, end=len(own.text), text=own.text,
            title=own.title, question=own.question, source=own.source, url=own.url, focus=own.focus,
        )
        for own in read_starter()
        if own.metadata.get("category") == "first-aid"
    )  # fmt: skip


def steps(message: str, reader: Reranker) -> tuple[Passage, list[Statement]] | None:
    """The page that answers the message best, and its sentences, quoted; None if none does."""
    readings = reader.read(message, [(own.heading, own.text) for own in pages()])
    best = max(range(len(readings)), key=lambda place: readings[place].relevance)
    if readings[best].relevance < LEAST:
        return None
    page = pages()[best]
    return page, [
        {
            **statement(page.text[start:end], [page.id]),
            "probability": 1.0,
            "verdict": "supported",
            "evidence": {"document": page.id, "start": start, "end": end},
        }
        for start, end in sentences(page.text)
    ]
