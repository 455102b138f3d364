"""Turn what a chat model wrote into statements with citations."""

import re
from collections.abc import Sequence

from anamnesis.text import sentences
from nodes.state import Statement
from prompts import NOT_FOUND

# [1], [1, 2], [1-3], [^1], [Document 1], 【1】: models write citations in many ways.
_MARKER = re.compile(
    r"[\[【]\s*\^?(?:(?:doc(?:ument)?|source|ref(?:erence)?)s?\.?\s*)?"
    r"(\d{1,4}(?:\s*(?:[,;&–-]|and)\s*\^?\d{1,4})*)(?:†[^\]】]*)?\s*[\]】]",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d+)\s*[–-]\s*(\d+)")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_LINK = re.compile(r"\[([^\]]+)\]\(\S+?\)")
_EMPHASIS = re.compile(r"\*\*|__|`|[\x00-\x08\x0b-\x1f\x7f]")
_HEADING = re.compile(r"^\s*#|^\W*(answer|sources?|references?|citations?)\W*$", re.IGNORECASE)
_LIST_OF_SOURCES = re.compile(r"^\W*(sources?|references?|citations?)\W*$", re.IGNORECASE)


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
    return NOT_FOUND.lower() in " ".join(_plain(text).lower().split())


def _plain(text: str) -> str:
    """The text without a model's thoughts, and without markup."""
    return _EMPHASIS.sub("", _LINK.sub(r"\1", _THOUGHT.sub("", text)))


def _numbers(group: str) -> list[int]:
    """The numbers of a marker, ranges written out."""
    ranges = [range(int(a), min(int(b), int(a) + 99) + 1) for a, b in _RANGE.findall(group)]
    single = re.findall(r"\d+", _RANGE.sub(" ", group))
    return [*(int(number) for number in single), *(number for own in ranges for number in own)]


def parse(text: str, passages: Sequence[str]) -> list[Statement]:
    """The sentences of a model's answer, each with the passages it cites.

    ``passages`` are the ids that [1], [2] … stand for. A marker belongs to the sentence before
    it. A number that stands for no passage is dropped, and its sentence then counts as uncited.
    Headings, a list of sources at the end, and what a model thinks aloud are no statements.
    """
    found: list[Statement] = []
    for line in _plain(text).splitlines():
        if _LIST_OF_SOURCES.match(line) and found:
            break
        if _HEADING.match(line):
            continue
        line = _BULLET.sub("", line).strip().strip("*").strip()
        # A marker behind the full stop belongs to the sentence that the stop ends.
        line = re.sub(rf"([.!?])((?:\s*{_MARKER.pattern})+)", r"\2\1", line, flags=re.I)
        for span in sentences(line):
            piece = line[span.start : span.end]
            numbers = [n for group in _MARKER.findall(piece) for n in _numbers(group)]
            claim = re.sub(r"\s+(?=[.!?,;]|\s)", "", _MARKER.sub("", piece)).strip()
            if not re.search(r"\w", claim) or says_not_found(claim):
                continue
            cited = [passages[n - 1] for n in dict.fromkeys(numbers) if 1 <= n <= len(passages)]
            found.append(statement(claim, cited))
    return found
