"""Statements as they are made: unchecked, or quoted from a document."""

from collections.abc import Sequence

from nodes.state import Statement


def statement(text: str, citations: Sequence[str]) -> Statement:
    """An unchecked statement."""
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
    """A statement that is supported because it quotes this part of a document."""
    return {
        **statement(text, [document]),
        "probability": 1.0,
        "verdict": "supported",
        "evidence": {"document": document, "start": start, "end": end},
    }
