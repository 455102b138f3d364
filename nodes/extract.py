"""The extractive generator: choose sentences of the evidence and cite them; write nothing.

Units of the evidence are scored against the question, the best are kept, and they come in
reading order.
"""

import re
from collections.abc import Callable, Sequence

from anamnesis.text import tokenize
from anamnesis.words import content_terms, stem
from corpus.passage import Passage
from models.reranker import Reranker
from nodes.draft import statement
from nodes.evidence import coverage
from nodes.state import Statement
from nodes.units import ADJOINING, Unit, dangling, tells_myths, units
from nodes.words import (
    asks_cause,
    aspects,
    other_subject,
    overlap,
    own_terms,
    populations,
    tells_cause,
)

# What an answer must have where a question asks for an amount, or whom something is not for.
_EXPECTED = [
    (
        re.compile(
            r"\bwho (should|must|can|could|may|ought to)(n['’]t| not|not)\b|\bcontraindicat",
            re.IGNORECASE,
        ),
        re.compile(
            r"\b(should|must|can|could|do|may)(n['’]t| not|not)\b|\bavoid|\bcontraindicat|\ballerg"
            r"|\bunsafe\b"
            r"|\bnot (be |to )?(recommended|advised|safe|suitable|take|get|given|used?)\b",
            re.IGNORECASE,
        ),
    ),
    (
        re.compile(r"\bhow (fast|quick(ly)?|rapid(ly)?|slow(ly)?)\b", re.IGNORECASE),
        re.compile(
            r"\b(per|an|a|each|every) (second|minute|hour|day|week|month|year)\b|\bwithin\b"
            r"|\b(slow|rapid|gradual|quick|fast|immediate|sudden)",
            re.IGNORECASE,
        ),
    ),
    (
        re.compile(r"\bhow (long|soon)\b", re.IGNORECASE),
        re.compile(
            r"\b(second|minute|hour|day|week|month|year)s?\b"
            r"|\b(lifelong|for life|permanent\w*|chronic|long[- ]term|lifetime)\b",
            re.IGNORECASE,
        ),
    ),
    (
        re.compile(r"\bhow (many|common|often|frequent\w*|rare|likely|high|low)\b", re.IGNORECASE),
        re.compile(
            r"\d|\b(rare\w*|common\w*|most|few|half|once|twice|daily|every|often|seldom|frequent\w*"
            r"|unusual|one|two|three|low|high)\b",
            re.IGNORECASE,
        ),
    ),
]
_WHAT_IS = re.compile(
    r"\W*what('s| is| are)( \(are\))?( an?| the)? (?P<topic>[\w' -]+?)\W*$", re.IGNORECASE
)
_IS_A = re.compile(
    r"((an?|the) )?(?P<topic>.{2,60}?) (is|are|means|refers to) (an?|the|one|any|when)\b",
    re.IGNORECASE,
)
# What takes back or widens the sentence before: 'But it …', 'It can also be high if …'.
_QUALIFIES = re.compile(
    r"(but|however|yet|nevertheless|on the other hand|even so)\b"
    r"|(it|they|this|these) (can|may|could|might) also\b",
    re.IGNORECASE,
)
_LEAD = 0.6
_FIRST = 10
_BEHIND = 0.1
_NARROWER = 0.3
_MARGIN = 0.3
_SAME = 0.7
_ON_TOPIC = 0.7
_DEFINES = 0.3


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
        group = with_antecedent(found, at)
        new = [own for own in group if own not in kept]
        repeated = any(overlap(found[at].text, found[own].text) > _SAME for own in kept)
        if not group or repeated or len(kept) + len(new) > most:
            continue
        kept += new
    return [found[at] for at in sorted(kept)]


def with_antecedent(found: Sequence[Unit], at: int) -> list[int]:
    """The unit with those before it that it leans on; empty if they are not there to quote."""
    group = [at]
    while dangling(found[group[0]].text):
        before = group[0] - 1
        if before < 0 or not _adjoin(found[before], found[group[0]]) or len(group) > 2:
            return []
        group.insert(0, before)
    return group


def with_qualification(kept: Sequence[Unit], every: Sequence[Unit]) -> list[Unit]:
    """The units, each with those right behind it that take it back or widen it.

    ``every`` are all units of the passages: what qualifies another one need not name the topic.
    """
    told: list[Unit] = []
    for unit in kept:
        group = [unit]
        for other in every[every.index(unit) + 1 :]:
            if not (_adjoin(group[-1], other) and _QUALIFIES.match(other.text)):
                break
            group.append(other)
        told += [own for own in group if own not in told]
    return told


def _adjoin(one: Unit, other: Unit) -> bool:
    """Whether nothing but blanks and a list marker stands between two units: 'it' in the second
    then points to the first, and not to a sentence that was left out."""
    return one.passage == other.passage and other.span.start - one.span.end <= ADJOINING


def _beyond(about: set[str], title: str) -> float:
    """The share of a title's words that the question does not have: 'asthma' is not 'occupational
    asthma', and 'Parkinson disease' not its type 9."""
    words = {stem(term) for term in content_terms(title)}
    return len(words - about) / len(words) if words else 0.0


def _answers(asked: Sequence[frozenset[str]], whom: Sequence[frozenset[str]], text: str) -> bool:
    """Whether a text speaks of one of the things asked, and of all whom they are asked about."""
    stems = {stem(word) for word in tokenize(text)}
    return (not asked or any(group & stems for group in asked)) and all(
        group & stems for group in whom
    )


def _leads(question: str, passages: Sequence[Passage], reranker: Reranker | None) -> list[float]:
    """How much the place of a sentence counts in each passage, in [0, 0.6].

    Nothing in a passage whose heading asks something else of the topic than the question does.
    """
    if reranker is None:
        near = [overlap(question, own.heading) for own in passages]
    else:
        near = reranker.score(question, [(own.heading, "") for own in passages])
    asked = aspects(question)
    alike = [
        any(group in asked for group in aspects(own.heading)) or not aspects(own.heading)
        for own in passages
    ]
    return [
        _LEAD * max(0.0, score - 0.5) * 2 if same else 0.0
        for score, same in zip(near, alike, strict=True)
    ]


def _defines(question: str, text: str) -> bool:
    """Whether the question asks what something is, and the text begins by saying so."""
    asked = _WHAT_IS.match(question)
    if not asked or aspects(question):
        return False
    said = _IS_A.match(text)
    return said is not None and overlap(asked["topic"], said["topic"]) > _SAME


def extract(
    question: str,
    passages: Sequence[Passage],
    reranker: Reranker | None,
    idf: Callable[[str], float],
    most: int,
) -> list[Statement]:
    """Statements quoted from the passages (best first), each citing the one it is from.

    A unit must be about what the question is about: it and its heading hold the question's own
    words, the better part of them by idf. It must also speak of what is asked of the topic (its
    symptoms, its treatment), where the question asks such a thing; of its causes, not of what it
    causes. What is left is scored by the reranker. Where the question asks how long, how many or
    who should not, and nothing that was chosen says so, nothing is quoted. What takes a sentence
    back or widens it right behind it is quoted with it, also beyond ``most``.
    """
    own_words = own_terms(question)
    topic = " ".join(own_words)
    about = {stem(term) for term in content_terms(question)}
    asked, whom, directed = aspects(question), populations(question), asks_cause(question)
    every = [
        unit
        for place, own in enumerate(passages)
        if not tells_myths(own.heading, own.text)
        and not other_subject(question, own.title or own.heading)
        for unit in units(own.text, place)
    ]
    found = [
        unit
        for unit in every
        for own in [passages[unit.passage]]
        if coverage(topic, f"{own.title} {own.heading} {unit.text}", idf) >= _ON_TOPIC
        and _answers(asked, whom, f"{own.heading} {unit.text}")
        and (not directed or asks_cause(own.heading) or tells_cause(unit.text, own_words))
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
    # The first sentences of a passage answer its heading: the nearer the heading is to what was
    # asked, the more the place counts against the words.
    leads = _leads(question, passages, reranker)
    ranked = [
        (1 - leads[unit.passage]) * score
        + leads[unit.passage] * max(0.0, 1 - unit.place / _FIRST)
        - _BEHIND * unit.passage
        + _DEFINES * _defines(question, unit.text)
        - _NARROWER * _beyond(about, passages[unit.passage].title)
        for score, unit in zip(scores, found, strict=True)
    ]
    kept = with_qualification(choose(found, ranked, most), every)
    if not any(dangling(unit.text) for unit in kept):
        # What a thing is comes before what else there is to say of it; but a sentence that leans
        # on the one before it must stay behind that one.
        kept.sort(key=lambda unit: not _defines(question, unit.text))
    expected = next((amount for amounts, amount in _EXPECTED if amounts.search(question)), None)
    if expected and not any(expected.search(unit.text) for unit in kept):
        return []
    return [statement(unit.text, [passages[unit.passage].id]) for unit in kept]
