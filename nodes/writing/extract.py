"""The extractive generator: choose sentences of the evidence and cite them; write nothing.

The reader alone decides which passages answer the question, and which of their sentences a good
answer would quote; a short passage that surely answers is quoted whole. Two checks only turn
sentences down: passages about false beliefs are left out,
because their sentences state what they deny, and so is what fails a check of its subject
(``nodes.checking.subject``), so that the next sentences take its place.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from anamnesis.corpus.passage import ALIASES, Passage
from anamnesis.language.quotable import Unit, dangling, is_about_myths, units
from anamnesis.language.topic import names, overlap
from nodes.checking.statements import statement
from nodes.checking.subject import on_another_kind, on_another_subject
from nodes.evidence.sentences import (
    ADDED,
    QUOTED,
    SAME,
    ScoredUnit,
    choose_units,
    with_qualification,
)
from nodes.fields.codes import FailedCheck
from nodes.fields.passages import Selected
from nodes.state import Statement
from nodes.writing.weighing import SourceRank

_STRONGER = "a stronger source says the same and is quoted instead"
_AS_LONG = 0.8
"""Minimum relative length of a sentence that replaces another one with the same content."""
SHARE_OF_BEST = 0.8
"""Minimum share of the best passage's relevance for another passage to be quoted with it.

Chosen on answers to real messages that were kept aside, in two halves (`python -m
benchmarks.bounds`). In 3 and 4 answers the first passage does not help but another one does: at .8
it is quoted in 3 and 3 of them, at .9 in 2 and none. Of the further passages 9 of 19 and 14 of 26
help at .8, 6 of 11 and 7 of 12 at .9.
"""


SHORT = 6
"""Maximum quotable units of a passage that is quoted whole."""
WHOLE = 0.8
"""Minimum relevance of a short passage that is quoted whole, if no other passage is quoted.

Its other sentences often restrict the answer or warn, although they do not answer by themselves:
that daily aspirin can cause bleeding, that a rash need not appear. `python -m
benchmarks.typed_answers` has the judgements: 25 answers on which this threshold was chosen, and 26
to other questions.
"""


class Extracted(NamedTuple):
    """The quotations, and what is needed to say why the other sentences are not quoted.

    ``found`` are the units by the passage's id, ``off_subject`` those that fail a check of their
    subject with the check, ``left`` the reasons for others; passages with a relevance below
    ``mark`` are not quoted.
    """

    statements: list[Statement]
    mark: float
    found: dict[str, list[Unit]]
    off_subject: dict[Unit, FailedCheck]
    left: dict[Unit, str]


def extract(
    passages: Sequence[Passage],
    selected: Sequence[Selected],
    threshold: float,
    most: int,
    share_of_best: float = SHARE_OF_BEST,
    weigh: SourceRank | None = None,
    question: str = "",
    subject: str = "",
) -> list[Statement]:
    """The statements of ``extracted``, which has the same arguments."""
    return extracted(
        passages,
        selected,
        threshold,
        most,
        share_of_best,
        weigh=weigh,
        question=question,
        subject=subject,
    ).statements


def extracted(
    passages: Sequence[Passage],
    selected: Sequence[Selected],
    threshold: float,
    most: int,
    share_of_best: float = SHARE_OF_BEST,
    *,
    weigh: SourceRank | None,
    question: str,
    subject: str,
) -> Extracted:
    """Statements quoted from the passages (best first), each citing the one it is from.

    ``selected`` has the reader's judgement of each passage; ``threshold`` is the minimum relevance
    of a quoted passage, at least ``share_of_best`` of the best passage's. Passages keep their
    order. The sentence of a passage that answers most directly comes first, the others follow in
    reading order. A sentence that directly follows and restricts or extends another one is quoted
    with it, also beyond ``most``. A short passage (``SHORT``) that alone is quoted and surely
    answers (``WHOLE``) is quoted whole, up to ``most``. If a further passage says the same and is
    stronger by ``weigh``, that one is quoted instead [R9]. The ``question`` decides only whether
    the topic of a page is stated. What is about another kind or medicine than the ``subject``, a
    question, is not quoted.
    """
    every_unit = [
        []
        if is_about_myths(entry.heading, entry.text)
        else _scored_units(units(entry.text, place), item)
        for place, (entry, item) in enumerate(zip(passages, selected, strict=True))
    ]
    off_subject = {
        each.unit: check
        for entry, found in zip(passages, every_unit, strict=True)
        for each, check in _failed_checks(subject, entry, found)
    }
    quotable = [_on_subject(found, off_subject) for found in every_unit]
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
        chosen = choose_units(found, kept, limit, QUOTED if enough else ADDED)
        kept += chosen.units
        left |= chosen.left
    kept = with_qualification(_with_rest(kept, quotable, selected, most), every)
    return Extracted(
        [_quoted(unit.text, passages[unit.passage], question) for unit in kept],
        mark,
        {
            entry.id: [each.unit for each in found]
            for entry, found in zip(passages, every_unit, strict=True)
        },
        off_subject,
        {unit: why for unit, why in left.items() if unit not in kept},
    )


def _with_rest(
    kept: list[Unit],
    quotable: Sequence[Sequence[ScoredUnit]],
    selected: Sequence[Selected],
    most: int,
) -> list[Unit]:
    """The units; all of their passage if it alone is quoted, is short and surely answers."""
    places = {unit.passage for unit in kept}
    if len(places) != 1:
        return kept
    [place] = places
    found, item = quotable[place], selected[place]
    if len(found) > SHORT or item["relevance"] < WHOLE:
        return kept
    return choose_units(found, [], most, 0.0).units


def _failed_checks(
    subject: str, entry: Passage, found: Sequence[ScoredUnit]
) -> Iterator[tuple[ScoredUnit, FailedCheck]]:
    """The units that are about another kind or medicine, each with the check that it fails."""
    of_page = on_another_subject(subject, entry)
    for each in found:
        for check in [*of_page, *on_another_kind(subject, each.unit.text)][:1]:
            yield each, check


def _on_subject(
    found: Sequence[ScoredUnit], off_subject: Mapping[Unit, FailedCheck]
) -> list[ScoredUnit]:
    """The units of a passage without those off the subject.

    If there were any, the others must reach ``QUOTED``, because the passage may be relevant for
    what it says on the other subject.
    """
    own = [each for each in found if each.unit not in off_subject]
    return own if len(own) == len(found) else [each for each in own if each.probability >= QUOTED]


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
        if choose_units(each, [], len(each)).units
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
        whole = len(other.text) >= _AS_LONG * len(unit.text)
        same = whole and overlap(unit.text, other.text) > SAME
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
