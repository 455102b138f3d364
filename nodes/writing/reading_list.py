"""What an answer that found nothing names instead: pages to read, and what would help to answer."""

from collections.abc import Callable, Mapping, Sequence

from anamnesis.corpus.passage import Passage
from anamnesis.language.quotable import dangling, tells_myths, units
from anamnesis.language.text import Span, tokenize
from anamnesis.language.words import content_terms, stem
from nodes.evidence.relevance import Near, Read

MOST = 3
LEAST = 0.02
"""Least relevance of a page that is named: below it nothing is near."""

LONGEST = 300
"""Maximum characters of a list, or of a neighbouring sentence, that is shown for a page: three or
four lines, so that three pages fit on a screen."""

LEAST_SHARED = 0.5
"""Minimum share of a heading's content words in the sentence that is shown in its place."""

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
    *,
    neighbours: bool = True,
) -> list[Near]:
    """Up to ``most`` pages, the nearest first, each with the sentence that comes nearest.

    ``read`` are the passages that the reader has read, best first; of a page the first counts. A
    sentence that stands ``alone`` against other sources is left out. Of a heading, a lead-in or an
    item of a list the list is shown or, with ``neighbours``, the sentence next to it (``_whole``).
    """
    found: dict[str, Near] = {}
    for item in read:
        own = passages.get(item["id"])
        if len(found) == most:
            break
        if own is None or item["relevance"] < LEAST or own.record_id in found:
            continue
        if not own.text[item["start"] : item["end"]].strip():
            continue  # what may not be quoted is blank (``nodes.evidence.safety``)
        start, end = _whole(own, Span(item["start"], item["end"]), neighbours)
        sentence = " ".join(own.text[start:end].split())
        if alone(own.text[start:end], own):
            continue
        found[own.record_id] = {
            "id": own.record_id,
            "title": own.question or own.title,
            "url": own.url,
            "source": own.source,
            "sentence": sentence,
        }
    return list(found.values())


def _whole(passage: Passage, span: Span, neighbours: bool) -> Span:
    """The span that is shown for the sentence that a reader found nearest.

    A sentence that makes a claim is shown as it is. Of others ('Common medicines include') a reader
    learns nothing: their list is shown, else the first sentence after them that makes a claim by
    itself and has half of their words ('Sleep Paralysis': 'Sleep paralysis usually …'). Any other
    sentence may be about something else ('if the medicine is stopped'): then, and in a passage
    about myths, the span stays.
    """
    if tells_myths(passage.heading, passage.text):
        return span
    told = units(passage.text)
    own = next(
        (one for one in told if one.span.start < span.end and span.start < one.span.end), None
    )
    if own and "\n" not in own.text:
        return span
    short = [one for one in told if len(one.text) <= LONGEST]
    if own and own in short:
        return own.span
    if not neighbours:
        return span
    words = _stems(passage.text[span.start : span.end])
    for one in short:
        near = len(words & _stems(one.text)) >= LEAST_SHARED * len(words) > 0
        if near and one.span.start >= span.end and not dangling(one.text):
            return one.span
    return span


def _stems(text: str) -> set[str]:
    return {stem(word) for word in content_terms(text)}
