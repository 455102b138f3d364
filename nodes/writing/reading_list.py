"""Content of an answer that found nothing: pages to read, and topics to choose from."""

from collections.abc import Mapping, Sequence

from anamnesis.corpus.cautions import comparison_key, medicine_names
from anamnesis.corpus.doses import has_amount
from anamnesis.corpus.medicines import medicines_by_name
from anamnesis.corpus.passage import Passage
from anamnesis.language.quotable import dangling, is_about_myths, units
from anamnesis.language.text import Span, tokenize
from anamnesis.language.words import content_stems
from nodes.checking.other_sources import Disputed
from nodes.fields.passages import Near, ReadPassage, near_of

MOST = 3
LEAST = 0.08
"""Minimum relevance of a page that is listed.

Of 407 pages that 143 silent answers to held-out messages list at .02, 281 do not fit the question
(grade 0) or were not judged; at .08 they are 136 of 234. In 30 answers a page helps at .02, and in
29 at .08 (`python -m benchmarks.bounds`). It was chosen with these messages.
"""

LONGEST = 300
"""Maximum characters of a list, or of a neighbouring sentence, that is shown for a page: three or
four lines, so that three pages fit on a screen."""

LEAST_SHARED = 0.5
"""Minimum share of a heading's content words in the sentence that is shown in its place."""

CLARIFY = 0.2
"""Minimum relevance of both pages that a clarifying question names.

A page with more than ``QUOTED_RELEVANCE`` is quoted, so a higher threshold asks hardly anything: at
.25, 3 of 146 answers to held-out messages that state nothing ask this question, and no page that
they name helps. At .2, which was chosen on messages that the reader was trained on (6 of 191 ask
it, 3 of them name a page that helps), 12 ask it, and 6 name a page that helps (`python -m
benchmarks.bounds`).
"""


def topics_to_clarify(
    read: Sequence[ReadPassage], passages: Mapping[str, Passage], message: str
) -> list[str]:
    """The two nearest topics, if pages on both may answer; empty if the user need not choose one.

    It is empty if the message names both topics, because the user cannot choose between them; and
    if one is a medicine that the message does not name: who asks about a medicine knows its name,
    and pages on other medicines often have the same headings.
    """
    found = [passages[item["id"]].focus for item in in_question(read, passages)]
    named = content_stems(message)
    unnamed = [topic for topic in found if not content_stems(topic) <= named]
    if not unnamed or any(map(_is_medicine, unnamed)):
        return []
    return found


def _is_medicine(topic: str) -> bool:
    return comparison_key(topic) in medicine_names() or topic.lower() in medicines_by_name()


def in_question(
    read: Sequence[ReadPassage], passages: Mapping[str, Passage], threshold: float = CLARIFY
) -> list[ReadPassage]:
    """The nearest passages on two topics, if the question may be about either.

    None if pages on only one topic are near, or if one topic is a part of the other.
    """
    found: list[ReadPassage] = []
    topics: list[set[str]] = []
    for item in read:
        passage = passages.get(item["id"])
        words = set(tokenize(passage.focus)) if passage else set()
        near = words and item["relevance"] >= threshold
        if near and not any(words <= one or words >= one for one in topics):
            found.append(item)
            topics.append(words)
    return found[:2] if len(found) > 1 else []


def nearest_pages(
    read: Sequence[ReadPassage],
    passages: Mapping[str, Passage],
    disputed: Disputed,
    most: int = MOST,
    *,
    least: float = LEAST,
    neighbours: bool = True,
) -> list[Near]:
    """Up to ``most`` pages of at least the relevance ``least``, the nearest first.

    Each has its nearest sentence.

    ``read`` are the passages that the reader has read, best first; the first passage of a page is
    used. A sentence that other sources disagree with (``disputed``) is left out. For a heading, a
    lead-in or a list item, the list is shown or, with ``neighbours``, the next sentence
    (``_shown_span``). With ``neighbours``, pages do not answer, and no sentence with a dose is
    shown: it may be a dose for another illness.
    """
    found: dict[str, Near] = {}
    for item in read:
        page = passages.get(item["id"])
        if len(found) == most:
            break
        if page is None or item["relevance"] < least or page.record_id in found:
            continue
        if not page.text[item["start"] : item["end"]].strip():
            continue  # text that may not be quoted is blank (``nodes.evidence.safety``)
        start, end = _shown_span(page, Span(item["start"], item["end"]), neighbours)
        sentence = " ".join(page.text[start:end].split())
        if disputed(page.text[start:end], page):
            continue
        dose = neighbours and has_amount(sentence)
        found[page.record_id] = near_of(page, "" if dose else sentence)
    return list(found.values())


def _shown_span(passage: Passage, span: Span, neighbours: bool) -> Span:
    """The span that is shown for the sentence that the reader found nearest.

    A sentence that makes a claim is shown unchanged. For others, which are not informative ('Common
    medicines include'), their list is shown, otherwise the first later sentence that makes a claim
    by itself and has half of their words ('Sleep Paralysis': 'Sleep paralysis usually …'). Any
    other sentence may be about something else ('if the medicine is stopped'): then, and in a
    passage about myths, the span is not changed.
    """
    if is_about_myths(passage.heading, passage.text):
        return span
    quotable = units(passage.text)
    unit = next(
        (one for one in quotable if one.span.start < span.end and span.start < one.span.end), None
    )
    if unit and "\n" not in unit.text:
        return span
    short = [one for one in quotable if len(one.text) <= LONGEST]
    if unit and unit in short:
        return unit.span
    if not neighbours:
        return span
    words = content_stems(passage.text[span.start : span.end])
    for one in short:
        near = len(words & content_stems(one.text)) >= LEAST_SHARED * len(words) > 0
        if near and one.span.start >= span.end and not dangling(one.text):
            return one.span
    return span
