"""Which sentences of one passage are quoted: the most direct answer, and what belongs to it."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.language.lexicon import any_of
from anamnesis.language.quotable import ADJOINING, Unit, dangling
from anamnesis.language.words import repeated

# A sentence that restricts or extends the one before: 'But it …', 'It can also be high if …'.
_MAY = any_of("modal", "possibility", without="should will would")
_QUALIFIES = re.compile(
    r"(but|however|yet|nevertheless|on the other hand|even so)\b"
    rf"|(it|they|this|these) ({_MAY}) also\b",
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
SAME = 0.7
"""Overlap above which a sentence repeats another one that has all its numbers."""


class ScoredUnit(NamedTuple):
    """A unit of a passage with the probability that a good answer quotes it."""

    unit: Unit
    probability: float


class ChosenUnits(NamedTuple):
    """The chosen units of a passage, and for each other one why it is not quoted."""

    units: list[Unit]
    reasons_not_quoted: dict[Unit, str]


def choose_units(
    found: Sequence[ScoredUnit], kept: Sequence[Unit], most: int, least: float = QUOTED
) -> ChosenUnits:
    """The units of a passage to quote: the most direct answer, then the others in their order.

    Units that reach ``least`` are chosen, otherwise the best one if it reaches ``BEST``, unless
    they repeat one that was already chosen (``kept``). A unit that refers to the one before it is
    quoted together with that one, or not at all.
    """
    units = [each.unit for each in found]
    ranked = sorted(range(len(found)), key=lambda at: -found[at].probability)
    top = found[ranked[0]].probability if ranked else 0.0
    mark = min(least, max(top, BEST))
    places: list[int] = []
    first: list[int] = []
    reasons: dict[int, str] = {}
    for at in ranked:
        if at in places:
            continue
        chance = f"probability of the sentence {found[at].probability:.2f}"
        if found[at].probability < mark:
            reasons[at] = f"{chance}, below {mark:.2f}"
            continue
        group = with_antecedent(units, at)
        new = [each for each in group if each not in places]
        there = [*kept, *(units[each] for each in places)]
        shared = repeated(units[at].text, [other.text for other in there])
        if not group:
            reasons[at] = f"{chance}, but what it refers to cannot be quoted before it"
        elif shared > SAME:
            reasons[at] = (
                f"{chance}, but it repeats a quotation: overlap {shared:.2f}, above {SAME}"
            )
        elif len(places) + len(new) > most:
            reasons[at] = f"{chance}, but no more than {most} are quoted from this passage"
        else:
            places += new
            first = first or new
    rest = sorted(place for place in places if place not in first)
    # A sentence that refers to the one before it must directly follow it.
    if any(dangling(units[place].text) and place - 1 in first for place in rest):
        first, rest = [], sorted(places)
    return ChosenUnits(
        [units[place] for place in [*first, *rest]],
        {units[at]: why for at, why in reasons.items() if at not in places},
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
