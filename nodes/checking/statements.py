"""Statements as they are made: unchecked, or quoted from a document."""

from collections.abc import Sequence

from nodes.state import Statement


def unchecked_statement(text: str, citations: Sequence[str]) -> Statement:
    """A statement that no check has examined; ``citations`` are ids of documents."""
    return {
        "text": text,
        "citations": list(citations),
        "probability": None,
        "verdict": "unchecked",
        "evidence": None,
        "failed": [],
        "conflict": None,
    }


def quoted(text: str, document: str, start: int, end: int) -> Statement:
    """A statement that is supported because it quotes characters ``start`` to ``end`` of the
    document with the id ``document``.
    """
    return {
        **unchecked_statement(text, [document]),
        "probability": 1.0,
        "verdict": "supported",
        "evidence": {"document": document, "start": start, "end": end},
    }
