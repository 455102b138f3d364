"""The extractive generator: choose sentences of the evidence and cite them; write nothing.

The reader alone decides which passages answer the question, and which of their sentences a good
answer would quote. Only passages about false beliefs are left out, because their sentences state
what they deny. Whether a statement is on the kind and the medicine that the question names is
checked afterwards (``nodes.checking.subject``).
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.corpus.passage import ALIASES, Passage
from anamnesis.language.quotable import ADJOINING, Unit, dangling, is_about_myths, units
from anamnesis.language.topic import names, overlap
from nodes.evidence.relevance import Selected
from nodes.state import Statement
from nodes.writing.draft import statement
from nodes.writing.weighing import SourceRank

# A sentence that restricts or extends the one before: 'But it …', 'It can also be high if …'.
_QUALIFIES = re.compile(
    r"(but|however|yet|nevertheless|on the other hand|even so)\b"
    r"|(it|they|this|these) (can|may|could|might) also\b",
    re.IGNORECASE,
)
QUOTED = 0.4
"""Minimum probability of a quoted sentence.

For one half of the topics that the reader was not trained on, F1 of the quoted sentences is .670 at
.4 and .662 at .5, for the other half .673 and .678. Of all 564 questions, 7 % have none of their
answering sentences quoted at .4, and 10 % at .5 (`python -m benchmarks.sentences`).
"""
ADDED = 0.35
"""The same if fewer sentences than may be quoted reach ``QUOTED``.

Chosen on both halves: F1 is as high as at ``QUOTED`` (.672 and .671), fewer questions have none of
their answering sentences quoted (6.4 % for 7.3 %), and more have all of them (70 % for 67 %).
"""
BEST = 0.2
"""Minimum probability of the best sentence if none reaches ``QUOTED``."""
_SAME = 0.7
_STRONGER = "a stronger source says the same and is quoted instead"
_WHOLE = 0.8
"""Minimum relative length of a sentence that replaces another one with the same content."""
SHARE_OF_BEST = 0.8
"""Minimum share of the best passage's relevance for another passage to be quoted with it.

Chosen on answers to real messages that were kept aside, in two halves (`python -m
benchmarks.bounds`). In 3 and 4 answers the first passage does not help but another one does: at .8
it is quoted in 3 and 3 of them, at .9 in 2 and none. Of the further passages 9 of 19 and 14 of 26
help at .8, 6 of 11 and 7 of 12 at .9.
"""


class ScoredUnit(NamedTuple):
    """A unit of a passage with the probability that a good answer quotes it."""

    unit: Unit
    probability: float


class Chosen(NamedTuple):
    """The chosen units of a passage, and for each other one why it is not quoted."""

    units: list[Unit]
    left: dict[Unit, str]


class Extracted(NamedTuple):
    """The quotations, and what is needed to say why the other sentences are not quoted.

    ``found`` are the quotable units by the passage's id, ``left`` the reasons by unit; passages
    with a relevance below ``mark`` are not quoted.
    """

    statements: list[Statement]
    mark: float
    found: dict[str, list[Unit]]
    left: dict[Unit, str]


def extract(
    passages: Sequence[Passage],
    selected: Sequence[Selected],
    threshold: float,
    most: int,
    share_of_best: float = SHARE_OF_BEST,
    weigh: SourceRank | None = None,
    question: str = "",
) -> list[Statement]:
    """The statements of ``extracted``, which has the same arguments."""
    return extracted(passages, selected, threshold, most, share_of_best, weigh, question).statements


def extracted(
    passages: Sequence[Passage],
    selected: Sequence[Selected],
    threshold: float,
    most: int,
    share_of_best: float = SHARE_OF_BEST,
    weigh: SourceRank | None = None,
    question: str = "",
) -> Extracted:
    """Statements quoted from the passages (best first), each citing the one it is from.

    ``selected`` has the reader's judgement of each passage; ``threshold`` is the minimum relevance
    of a quoted passage, at least ``share_of_best`` of the best passage's. Passages keep their
    order. The sentence of a passage that answers most directly comes first, the others follow in
    reading order. A sentence that directly follows and restricts or extends another one is quoted
    with it, also beyond ``most``. If a further passage says the same and is stronger by ``weigh``,
    that one is quoted instead [R9]. The ``question`` decides only whether the topic of a page is
    stated.
    """
    quotable = [
        []
        if is_about_myths(entry.heading, entry.text)
        else _scored_units(units(entry.text, place), item)
        for place, (entry, item) in enumerate(zip(passages, selected, strict=True))
    ]
    mark = _minimum_relevance(quotable, selected, threshold, share_of_best)
    used = [
        each
        for found, item in zip(quotable, selected, strict=True)
        if item["relevance"] >= mark
        for each in found
    ]
    enough = sum(each.probability >= QUOTED for each in used) >= most
    kept: list[Unit] = []
    every: list[Unit] = []
    left: dict[Unit, str] = {}
    for found, item in zip(quotable, selected, strict=True):
        if item["relevance"] < mark:
            continue
        every += [each.unit for each in found]
        if weigh:
            stronger = [_from_stronger_passage(unit, found, passages, weigh) for unit in kept]
            left |= {
                unit: _STRONGER for unit, other in zip(kept, stronger, strict=True) if unit != other
            }
            kept = stronger
        # If several topics may be meant, the quotations are divided among their pages.
        share = -(-most // max(1, len(item.get("topics", []))))
        limit = min(share, most - len(kept))
        chosen = choose(found, kept, limit, QUOTED if enough else ADDED)
        kept += chosen.units
        left |= chosen.left
    kept = with_qualification(kept, every)
    return Extracted(
        [_quoted(unit.text, passages[unit.passage], question) for unit in kept],
        mark,
        {
            entry.id: [each.unit for each in found]
            for entry, found in zip(passages, quotable, strict=True)
        },
        left,
    )


def _minimum_relevance(
    quotable: Sequence[Sequence[ScoredUnit]],
    selected: Sequence[Selected],
    threshold: float,
    share_of_best: float,
) -> float:
    """The minimum relevance of a quoted passage.

    It is relative to the best one of which something can be quoted: a page that only names other
    pages may be the most relevant one.
    """
    able = (
        item["relevance"]
        for each, item in zip(quotable, selected, strict=True)
        if choose(each, [], len(each)).units
    )
    return max(threshold, share_of_best * max(able, default=0.0))


def _quoted(text: str, page: Passage, question: str) -> Statement:
    """The statement, with the topic of its page if the question does not name it.

    Sentences such as 'Affected individuals have …' do not say what they are about.
    """
    quoted = statement(text, [page.id])
    other = page.metadata.get(ALIASES)
    called = [page.focus, *(map(str, other) if isinstance(other, list) else [])]
    if page.focus and not any(names(question, name) for name in called):
        quoted["topic"] = page.focus
    return quoted


def _from_stronger_passage(
    unit: Unit, found: Sequence[ScoredUnit], passages: Sequence[Passage], weigh: SourceRank
) -> Unit:
    """The unit, or a unit with the same content from a stronger passage, if that may be quoted."""
    if dangling(unit.text):
        return unit
    for other, probability in found:
        # If two units overlap, the shorter one may say less.
        whole = len(other.text) >= _WHOLE * len(unit.text)
        same = whole and overlap(unit.text, other.text) > _SAME
        if same and probability >= QUOTED and not dangling(other.text):
            heavier = weigh(passages[other.passage]) < weigh(passages[unit.passage])
            return other if heavier else unit
    return unit


def _scored_units(found: Sequence[Unit], item: Selected) -> list[ScoredUnit]:
    """The units with the probability of their best sentence."""
    return [
        ScoredUnit(
            unit,
            max(
                (
                    chance
                    for start, end, chance in item["sentences"]
                    if start < unit.span.end and end > unit.span.start
                ),
                default=0.0,
            ),
        )
        for unit in found
    ]


def choose(
    found: Sequence[ScoredUnit], kept: Sequence[Unit], most: int, least: float = QUOTED
) -> Chosen:
    """The units of a passage to quote: the most direct answer, then the others in their order.

    Units that reach ``least`` are chosen, otherwise the best one if it reaches ``BEST``, unless
    they repeat one that was already chosen (``kept``). A unit that refers to the one before it is
    quoted together with that one, or not at all.
    """
    own = [each.unit for each in found]
    ranked = sorted(range(len(found)), key=lambda at: -found[at].probability)
    top = found[ranked[0]].probability if ranked else 0.0
    mark = min(least, max(top, BEST))
    places: list[int] = []
    first: list[int] = []
    left: dict[int, str] = {}
    for at in ranked:
        if at in places:
            continue
        chance = f"probability of the sentence {found[at].probability:.2f}"
        if found[at].probability < mark:
            left[at] = f"{chance}, below {mark:.2f}"
            continue
        group = with_antecedent(own, at)
        new = [each for each in group if each not in places]
        there = [*kept, *(own[each] for each in places)]
        shared = max((overlap(own[at].text, other.text) for other in there), default=0.0)
        if not group:
            left[at] = f"{chance}, but what it refers to cannot be quoted before it"
        elif shared > _SAME:
            left[at] = f"{chance}, but it repeats a quotation: overlap {shared:.2f}, above {_SAME}"
        elif len(places) + len(new) > most:
            left[at] = f"{chance}, but no more than {most} are quoted from this passage"
        else:
            places += new
            first = first or new
    rest = sorted(place for place in places if place not in first)
    # A sentence that refers to the one before it must directly follow it.
    if any(dangling(own[place].text) and place - 1 in first for place in rest):
        first, rest = [], sorted(places)
    return Chosen(
        [own[place] for place in [*first, *rest]],
        {own[at]: why for at, why in left.items() if at not in places},
    )


def with_antecedent(found: Sequence[Unit], at: int) -> list[int]:
    """The unit, preceded by those to which it refers; empty if these cannot be quoted."""
    group = [at]
    while dangling(found[group[0]].text):
        before = group[0] - 1
        if before < 0 or not _adjoin(found[before], found[group[0]]) or len(group) > 2:
            return []
        group.insert(0, before)
    return group


def with_qualification(kept: Sequence[Unit], every: Sequence[Unit]) -> list[Unit]:
    """The units, each with those directly after it that restrict or extend it.

    ``every`` are all units of the passages: a unit that qualifies another one need not answer.
    """
    shown: list[Unit] = []
    for unit in kept:
        group = [unit]
        for other in every[every.index(unit) + 1 :]:
            if not (_adjoin(group[-1], other) and _QUALIFIES.match(other.text)):
                break
            group.append(other)
        shown += [item for item in group if item not in shown]
    return shown


def _adjoin(one: Unit, other: Unit) -> bool:
    """Whether only blanks and a list marker separate two units: 'it' then means the first."""
    return one.passage == other.passage and 0 <= other.span.start - one.span.end <= ADJOINING
