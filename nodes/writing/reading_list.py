"""What an answer that found nothing names instead: pages to read, and what would help to answer."""

from collections.abc import Callable, Mapping, Sequence

from anamnesis.corpus.passage import Passage
from anamnesis.language.text import tokenize
from nodes.evidence.relevance import Near, Read

MOST = 3
LEAST = 0.02
"""Least relevance of a page that is named: below it nothing is near."""

CLARIFY = 0.35
"""Least relevance of either page that a question back names.

Chosen on messages that the reader was trained on, as the least bound at which one of the two pages
always helps. Of 188 silent answers to messages kept aside 5 ask, and of each at least one page
helps, of one both; at .3 12 ask, of 4 no page helps (`python -m benchmarks.bounds`).
"""


def clarify(read: Sequence[Read], passages: Mapping[str, Passage]) -> str | None:
    """Asks which of the two nearest topics is meant, where a page on either may answer."""
    found = [passages[item["id"]].focus for item in in_question(read, passages)]
    return f"Is your question about {found[0]} or about {found[1]}?" if found else None


def in_question(
    read: Sequence[Read], passages: Mapping[str, Passage], least: float = CLARIFY
) -> list[Read]:
    """The nearest passages on two topics, of which the question may mean either.

    None where a page comes near on one topic alone, or where one topic is a part of the other.
    """
    found: list[Read] = []
    topics: list[set[str]] = []
    for item in read:
        own = passages.get(item["id"])
        words = set(tokenize(own.focus)) if own else set()
        near = words and item["relevance"] >= least
        if near and not any(words <= one or words >= one for one in topics):
            found.append(item)
            topics.append(words)
    return found[:2] if len(found) > 1 else []


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
        if not sentence:  # what may not be quoted is blank (``nodes.evidence.safety``)
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
