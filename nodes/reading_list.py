"""What an answer that found nothing names instead: pages to read, and what would help to answer."""

from collections.abc import Callable, Mapping, Sequence

from corpus.passage import Passage
from nodes.evidence import Near, Read

MOST = 3
LEAST = 0.02
"""Least relevance of a page that is named: below it nothing is near."""


CLARIFY = 0.3
"""Least relevance of the pages that a clarifying question names."""


def clarify(read: Sequence[Read], passages: Mapping[str, Passage]) -> str | None:
    """Asks which of the two nearest topics is meant; None where no page comes near enough."""
    near = [
        passages[item["id"]].focus
        for item in read
        if item["id"] in passages and item["relevance"] >= CLARIFY
    ]
    topics: dict[str, str] = {}
    for topic in near:
        topics.setdefault(topic.casefold(), topic)
    topics.pop("", None)
    return (
        f"Is your question about {' or about '.join(list(topics.values())[:2])}?"
        if topics
        else None
    )


def nearest(
    read: Sequence[Read],
    passages: Mapping[str, Passage],
    alone: Callable[[str, Passage], bool] = lambda sentence, passage: False,
    most: int = MOST,
) -> list[Near]:
    """Up to ``most`` pages, the nearest first, each with the sentence that comes nearest.

    ``read`` are the passages that the reader has read, best first; of a page the first counts. A
    sentence that stands ``alone`` against other sources is left out.
    """
    found: dict[str, Near] = {}
    for item in read:
        own = passages.get(item["id"])
        if len(found) == most:
            break
        if own is None or item["relevance"] < LEAST or own.record_id in found:
            continue
        sentence = " ".join(own.text[item["start"] : item["end"]].split())
        if not sentence:  # what may not be quoted is blank (``nodes.safety``)
            continue
        if alone(own.text[item["start"] : item["end"]], own):
            continue
        found[own.record_id] = {
            "id": own.record_id,
            "title": own.question or own.title,
            "url": own.url,
            "source": own.source,
            "sentence": sentence,
        }
    return list(found.values())
