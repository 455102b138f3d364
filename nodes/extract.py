"""The extractive generator: choose sentences of the evidence and cite them; write nothing.

A unit is a sentence, or the lead-in of a list with its items. Units are scored against the
question, the best are kept, and they come in reading order.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from anamnesis.text import Span, is_list_item, sentences
from corpus.passage import Passage
from models.reranker import Reranker
from nodes.draft import statement
from nodes.evidence import coverage
from nodes.state import Statement
from nodes.words import content_terms, own_terms, stem

_DANGLING = re.compile(
    r"^(and|but|or|so|however|therefore|thus|also|then|it|its|they|their|them|this|that|these|those"
    r"|he|she|his|her|such|some of these|most of these|other|another|both|either|in addition"
    r"|for example|for instance|as a result|in these|in this|in such|for this|because of this)\b",
    re.IGNORECASE,
)
# What only points to other parts of a page, and says nothing by itself.
_POINTER = re.compile(
    r"\b(following|below|above|this (section|page|article|video|publication)|brief overview"
    r"|click|for more information|more information (about|on|can)|to learn more|visit"
    r"|web ?sites?|www\.|https?:|read more|dictionary|see the|see also|listed|fact sheet|call [\d(])\b",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(r"(:|[^.!?\"”')])$|\bfollowing\b", re.IGNORECASE)
_LEAD = 0.1
_MARGIN = 0.2
_SAME = 0.7
_ON_TOPIC = 0.6


class Unit(NamedTuple):
    """A stretch of a passage that can be quoted: its passage's place, its own, its span."""

    passage: int
    place: int
    span: Span
    text: str


def units(text: str, passage: int = 0) -> list[Unit]:
    """The quotable units of a passage: sentences that claim something, and lists under a lead-in.

    Headings, labels, questions, pointers to other parts of a page, and list items that no
    lead-in announces are no units.
    """
    spans = sentences(text)
    pieces = [text[start:end] for start, end in spans]
    found: list[Unit] = []
    at = 0
    while at < len(spans):
        upto = at + 1
        if not is_list_item(pieces[at]) and _ANNOUNCES.search(pieces[at]):
            # 'X has the following signs. Signs and how common they are:' is one lead-in.
            if upto < len(spans) and pieces[upto].endswith(":") and not is_list_item(pieces[upto]):
                upto += 1
            first = upto
            while upto < len(spans) and is_list_item(pieces[upto]):
                upto += 1
            if upto == first:
                upto = at + 1
        if upto > at + 1 or _is_claim(pieces[at]):
            span = Span(spans[at].start, spans[upto - 1].end)
            found.append(Unit(passage, at, span, text[span.start : span.end]))
        at = upto
    return found


def _is_claim(piece: str) -> bool:
    # Up to three words before a full stop are a label ('Shortness of breath.'), no claim.
    ended = re.search(r"[.!][\"”')\]]*$", piece)
    opened = piece[0].isupper() or piece[0].isdigit()
    return bool(ended) and opened and len(piece.split()) > 3 and not _POINTER.search(piece)


def dangling(text: str) -> bool:
    """Whether a sentence leans on the one before it."""
    return bool(_DANGLING.match(text))


def overlap(one: str, other: str) -> float:
    """The share of the shorter text's meaning words that the other has too."""
    a, b = ({stem(word) for word in content_terms(text)} for text in (one, other))
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def choose(found: Sequence[Unit], scores: Sequence[float], most: int) -> list[Unit]:
    """The units to quote, in reading order.

    The best unit sets the mark: units that come near it are kept, best first, unless they say
    again what is kept already. A unit that leans on the one before it comes with that one, or
    not at all.
    """
    if not found:
        return []
    mark = max(scores) - _MARGIN
    kept: list[int] = []
    for at in sorted(range(len(found)), key=lambda own: -scores[own]):
        if scores[at] < mark or len(kept) >= most or at in kept:
            continue
        group = _with_antecedent(found, at)
        new = [own for own in group if own not in kept]
        repeated = any(overlap(found[at].text, found[own].text) > _SAME for own in kept)
        if not group or repeated or len(kept) + len(new) > most:
            continue
        kept += new
    return [found[at] for at in sorted(kept)]


def _with_antecedent(found: Sequence[Unit], at: int) -> list[int]:
    """The unit with those before it that it leans on; empty if they are not there to quote."""
    group = [at]
    while dangling(found[group[0]].text):
        before = group[0] - 1
        if before < 0 or found[before].passage != found[at].passage or len(group) > 2:
            return []
        group.insert(0, before)
    return group


def extract(
    question: str,
    passages: Sequence[Passage],
    reranker: Reranker | None,
    idf: Callable[[str], float],
    most: int,
) -> list[Statement]:
    """Statements quoted from the passages (best first), each citing the one it is from.

    A unit must be about what the question is about: it and its heading hold the question's own
    words, the better part of them by idf. What is left is scored by the reranker.
    """
    topic = " ".join(own_terms(question))
    found = [
        unit
        for place, own in enumerate(passages)
        for unit in units(own.text, place)
        if coverage(topic, f"{own.title} {own.heading} {unit.text}", idf) >= _ON_TOPIC
    ]
    if not found:
        return []
    if reranker is None:
        scores = [overlap(question, unit.text) for unit in found]
    else:
        # With its heading a sentence is understood, without it the sentence itself is judged.
        told = [(passages[unit.passage].heading, unit.text) for unit in found]
        scored = reranker.score(question, [*told, *(("", text) for _, text in told)])
        both = zip(scored[: len(found)], scored[len(found) :], strict=True)
        scores = [(one + other) / 2 for one, other in both]
    ranked = [
        # The first sentences of a passage usually answer its question.
        score + _LEAD * max(0.0, 1 - unit.place / 3) - _LEAD * unit.passage
        for score, unit in zip(scores, found, strict=True)
    ]
    kept = choose(found, ranked, most)
    return [statement(unit.text, [passages[unit.passage].id]) for unit in kept]
