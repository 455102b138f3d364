"""The scores of another program's list: a higher one is better, whatever the program calls it."""

from collections.abc import Iterable
from typing import Any

from langchain_core.documents import Document

from anamnesis.errors import RunError

_SCORES = ("score", "relevance_score", "similarity_score")
_MOST = 1e100


def score_of(document: Any) -> float | None:
    """The score in a document's metadata, if any."""
    metadata = getattr(document, "metadata", None) or {}
    return next((metadata[name] for name in _SCORES if name in metadata), None)


def with_scores(given: Iterable[Any], what: str) -> list[tuple[Document, float]]:
    """The documents with scores in descending order; ``given`` are documents with their scores.

    Ascending scores are distances and are negated. Without scores, or if they are unordered, the
    position counts: 1, 1/2, 1/3 … Raises RunError, naming ``what`` found them, for other objects.
    """
    found = [*given] if isinstance(given, Iterable) else [given]
    for pair in found:
        if not (isinstance(pair, tuple | list) and len(pair) == 2):
            raise RunError(
                f"retriever: similarity_search_with_score of {what} gave an object of "
                f"{type(pair).__name__}, not a pair of a Document and its score"
            )
    for item, _ in found:
        if not isinstance(item, Document):
            raise RunError(
                f"retriever: {what} found an object of {type(item).__name__}, not a Document; give "
                "a retriever whose invoke returns a list of LangChain's Documents"
            )
    scores = [float(score) for _, score in found if score is not None and _is_number(score)]
    ordered = sorted(scores)
    if len(scores) < len(found) or scores not in (ordered, ordered[::-1]):
        scores = [1 / place for place in range(1, len(found) + 1)]
    elif scores == ordered and ordered != ordered[::-1]:
        scores = [-item for item in scores]
    return [(item, score) for (item, _), score in zip(found, scores, strict=True)]


def _is_number(value: object) -> bool:
    # NumPy's numbers are not Python's, but can be converted. A greater one is no score but a mark,
    # and its square is no number.
    try:
        return not isinstance(value, bool | str) and abs(float(value)) < _MOST  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False
