"""Turn what a chat model wrote into statements with citations."""

import re
from collections.abc import Sequence

from anamnesis.text import sentences
from nodes.state import Statement
from prompts import NOT_FOUND

_MARKER = re.compile(r"\[(\d+(?:\s*[,;]\s*\d+)*)\]")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


def statement(text: str, citations: Sequence[str]) -> Statement:
    """A statement that nobody has checked yet."""
    return {
        "text": text,
        "citations": list(citations),
        "probability": None,
        "verdict": "unchecked",
        "evidence": None,
        "failed_checks": [],
    }


def says_not_found(text: str) -> bool:
    """Whether the model said that the context does not hold the answer [R5]."""
    return NOT_FOUND.lower() in text.lower()


def parse(text: str, passages: Sequence[str]) -> list[Statement]:
    """The sentences of a model's answer, each with the passages it cites.

    ``passages`` are the ids that [1], [2] … stand for. A marker belongs to the sentence before
    it. A number that stands for no passage is dropped, and its sentence then counts as uncited.
    """
    found: list[Statement] = []
    for line in text.splitlines():
        line = _BULLET.sub("", line).strip().strip("*").strip()
        # A marker behind the full stop belongs to the sentence that the stop ends.
        line = re.sub(r"([.!?])((?:\s*\[\d+(?:\s*[,;]\s*\d+)*\])+)", r"\2\1", line)
        for span in sentences(line):
            piece = line[span.start : span.end]
            numbers = [int(n) for group in _MARKER.findall(piece) for n in re.split(r"\D+", group)]
            claim = re.sub(r"\s+([.!?,;])", r"\1", _MARKER.sub("", piece)).strip()
            if not re.search(r"\w", claim) or says_not_found(claim):
                continue
            cited = [passages[n - 1] for n in dict.fromkeys(numbers) if 1 <= n <= len(passages)]
            found.append(statement(claim, cited))
    return found
