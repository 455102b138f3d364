"""The extractive generator: choose sentences of the evidence and cite them; write nothing.

The reader model scores the passages and their sentences; the rules here choose from these scores.
Never quoted are passages about false beliefs, because their sentences, taken alone, state what the
passage denies; text about a different kind or medicine than the question; and pages on a maximum
dose that the question does not ask for (``nodes.checking.subject``).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from anamnesis.corpus.passage import ALIASES, Passage
from anamnesis.language.quotable import Unit, dangling, is_about_myths, units
from anamnesis.language.words import has_words_of, repeated
from nodes.checking.statements import unchecked_statement
from nodes.checking.subject import (
    MEDICINE,
    on_another_kind,
    on_another_member,
    on_another_subject,
    on_unasked_mishap,
)
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
from nodes.writing.weighing import SourceRank, strength
from nodes.writing.whole_page import first_passage_whole

# From ``nodes.evidence.sentences``: QUOTED is the minimum probability of a quoted sentence, ADDED
# the lower minimum if too few sentences reach it, and SAME the overlap above which two sentences
# say the same thing.

_STRONGER = "a stronger source says the same thing and is quoted instead"
_LEAST_RELATIVE_LENGTH = 0.8
"""Minimum relative length of a sentence that replaces another one with the same content."""
SHARE_OF_BEST = 0.8
"""Minimum share of the best passage's relevance for another passage to be quoted with it.

Chosen on answers to held-out real messages, in two halves (`python -m benchmarks.bounds`):

| first half, second half | at .8 | at .9 |
|---|---|---|
| passages quoted in addition to the first | 19, 26 | 11, 12 |
| of these, passages that help | 9, 14 | 6, 7 |
| of the 3, 4 answers in which only such a passage helps, those that quote it | 3, 3 | 2, 0 |
"""


class Extraction(NamedTuple):
    """The quotations, and what is needed to say why the other sentences are not quoted.

    ``least_relevance`` is the minimum relevance of a quoted passage. ``found`` has all units of
    each passage, by the id of the passage. ``off_subject`` has the units that fail a check which
    compares them with the question, each with this check. ``reasons_not_quoted`` says of the other
    unquoted units, in passages that are relevant enough, why they are not quoted.
    """

    statements: list[Statement]
    least_relevance: float
    found: dict[str, list[Unit]]
    off_subject: dict[Unit, FailedCheck]
    reasons_not_quoted: dict[Unit, str]


def extract_quotations(
    passages: Sequence[Passage],
    selected: Sequence[Selected],
    threshold: float,
    max_statements: int,
    share_of_best: float = SHARE_OF_BEST,
    *,
    source_rank: SourceRank | None = None,
    question: str = "",
    checked_question: str = "",
) -> Extraction:
    """Statements quoted from the passages (best first), each citing the one it is from.

    ``selected`` has the reader model's judgement of each passage. A passage is quoted only if its
    relevance is at least ``threshold``, and at least ``share_of_best`` times the relevance of the
    best passage of which something can be quoted. Of the passages with at least this share of the
    highest relevance, and with a sentence worth quoting, the strongest sources come first
    (``nodes.writing.weighing``); the others keep their order. Of each passage, the sentence with
    the highest probability comes first, and the others follow in the order of the text.

    At most ``max_statements`` are quoted, with two exceptions: if the sentence after a quoted one
    restricts or extends it (*But …*), it is quoted too; and if the first quoted passage is short
    and relevant enough, it is quoted whole, and two sentences of a further passage may follow it
    (``nodes.writing.whole_page``). If a later passage has a sentence with the same content and a
    stronger source (a lower ``source_rank``), its sentence is quoted instead [R9].

    ``question`` is used only to decide whether the topic of a page is shown with a statement.
    ``checked_question`` is the question if its text must be compared with the passages (a sentence
    about a different kind, medicine or dose is then not quoted), and '' if not.
    """
    if source_rank:
        passages, selected = _strongest_first(passages, selected, share_of_best, source_rank)
    units_by_passage = [
        []
        if is_about_myths(passage.heading, passage.text)
        else _scored_units(units(passage.text, position), reading)
        for position, (passage, reading) in enumerate(zip(passages, selected, strict=True))
    ]
    off_subject = {
        scored.unit: check
        for passage, passage_units, reading in zip(
            passages, units_by_passage, selected, strict=True
        )
        if reading["relevance"] >= threshold
        for scored, check in _failed_checks(checked_question, passage, passage_units)
    }
    quotable = [_on_subject(passage_units, off_subject) for passage_units in units_by_passage]
    least_relevance = _least_relevance(quotable, selected, threshold, share_of_best)
    candidate_units = [
        scored
        for passage_units, reading in zip(quotable, selected, strict=True)
        if reading["relevance"] >= least_relevance
        for scored in passage_units
    ]
    # If enough units reach QUOTED, the lower threshold ADDED is not needed.
    fills_answer = sum(scored.probability >= QUOTED for scored in candidate_units) >= max_statements
    least_probability = QUOTED if fills_answer else ADDED
    quoted_units: list[Unit] = []
    all_units: list[Unit] = []
    reasons: dict[Unit, str] = {}
    for passage_units, reading in zip(quotable, selected, strict=True):
        if reading["relevance"] < least_relevance:
            continue
        all_units += [scored.unit for scored in passage_units]
        if source_rank:
            stronger = [
                _from_stronger_passage(unit, passage_units, passages, source_rank)
                for unit in quoted_units
            ]
            replaced = zip(quoted_units, stronger, strict=True)
            reasons |= {unit: _STRONGER for unit, other in replaced if unit != other}
            quoted_units = stronger
        # If the question may mean several topics, their pages get equal shares of the statements.
        share = math.ceil(max_statements / max(1, len(reading.get("topics", []))))
        limit = min(share, max_statements - len(quoted_units))
        chosen = choose_units(passage_units, quoted_units, limit, least_probability)
        quoted_units += chosen.units
        reasons |= chosen.reasons_not_quoted
    if all_units:
        relevant = [
            item if reading["relevance"] >= least_relevance else []
            for item, reading in zip(quotable, selected, strict=True)
        ]
        quoted_units = first_passage_whole(quoted_units, relevant, selected, max_statements)
    quoted_units = with_qualification(quoted_units, all_units)
    return Extraction(
        [_quoted(unit.text, passages[unit.passage], question) for unit in quoted_units],
        least_relevance,
        {
            passage.id: [scored.unit for scored in passage_units]
            for passage, passage_units in zip(passages, units_by_passage, strict=True)
        },
        off_subject,
        {unit: why for unit, why in reasons.items() if unit not in quoted_units},
    )


def _strongest_first(
    passages: Sequence[Passage],
    selected: Sequence[Selected],
    share_of_best: float,
    source_rank: SourceRank,
) -> tuple[list[Passage], list[Selected]]:
    """The passages and their readings; of those with at least ``share_of_best`` times the highest
    relevance, and with a sentence that reaches ``QUOTED``, the strongest sources first.
    """
    least = share_of_best * max((item["relevance"] for item in selected), default=0.0)

    def key(pair: tuple[Passage, Selected]) -> tuple[bool, tuple[int, bool]]:
        page, item = pair
        best = max((chance for _, _, chance in item["sentences"]), default=0.0)
        near = item["relevance"] >= least and best >= QUOTED
        return (False, strength(source_rank(page))) if near else (True, (0, False))

    both = sorted(zip(passages, selected, strict=True), key=key)
    return [page for page, _ in both], [item for _, item in both]


def _failed_checks(
    question: str, passage: Passage, passage_units: Sequence[ScoredUnit]
) -> Iterator[tuple[ScoredUnit, FailedCheck]]:
    """The units about a different kind, medicine or dose, each with the first check that it fails.

    The checks of the page come first.
    """
    of_page = on_another_subject(question, passage)
    if question and passage_units and not of_page:
        of_page = on_unasked_mishap(question, passage)
    for scored in passage_units:
        text = scored.unit.text
        of_unit = on_another_kind(question, text) + on_another_member(question, passage, text)
        for check in [*of_page, *of_unit][:1]:
            yield scored, check


def _on_subject(
    passage_units: Sequence[ScoredUnit], off_subject: Mapping[Unit, FailedCheck]
) -> list[ScoredUnit]:
    """The units of a passage that are not about a different kind or medicine.

    If units are removed only because they are about a different medicine, all others stay: each
    names the family of the medicine asked about (``on_another_member``). If any is removed for
    another reason, only units that reach ``QUOTED`` stay, because the passage may be relevant only
    for what it says about the different kind.
    """
    on_subject = [scored for scored in passage_units if scored.unit not in off_subject]
    failed = [off_subject[scored.unit] for scored in passage_units if scored.unit in off_subject]
    if all(check["code"] == MEDICINE for check in failed):
        return on_subject
    return [scored for scored in on_subject if scored.probability >= QUOTED]


def _least_relevance(
    quotable: Sequence[Sequence[ScoredUnit]],
    selected: Sequence[Selected],
    threshold: float,
    share_of_best: float,
) -> float:
    """The minimum relevance of a quoted passage.

    It is the higher of ``threshold`` and ``share_of_best`` times the relevance of the best passage
    of which something can be quoted. The most relevant passage itself may have nothing to quote,
    for example if it only names other pages.
    """
    quotable_relevances = (
        reading["relevance"]
        for passage_units, reading in zip(quotable, selected, strict=True)
        if choose_units(passage_units, [], len(passage_units)).units
    )
    return max(threshold, share_of_best * max(quotable_relevances, default=0.0))


def _quoted(text: str, page: Passage, question: str) -> Statement:
    """The statement; with the topic of the page, if the question does not name this topic.

    Sentences such as 'Affected individuals have …' do not say what they are about.
    """
    quoted = unchecked_statement(text, [page.id])
    aliases = page.metadata.get(ALIASES)
    topic_names = [page.focus, *(map(str, aliases) if isinstance(aliases, list) else [])]
    if page.focus and not any(has_words_of(question, name) for name in topic_names):
        quoted["topic"] = page.focus
    return quoted


def _from_stronger_passage(
    unit: Unit, found: Sequence[ScoredUnit], passages: Sequence[Passage], source_rank: SourceRank
) -> Unit:
    """The unit; or a unit of ``found`` with the same content and a stronger source.

    Only a unit that may be quoted alone takes the place of another one.
    """
    if dangling(unit.text):
        return unit
    for other, probability in found:
        # If two units overlap, the shorter one may say less.
        long_enough = len(other.text) >= _LEAST_RELATIVE_LENGTH * len(unit.text)
        same_content = long_enough and repeated(unit.text, [other.text]) > SAME
        if same_content and probability >= QUOTED and not dangling(other.text):
            own_rank = source_rank(passages[unit.passage])
            return other if source_rank(passages[other.passage]) < own_rank else unit
    return unit


def _scored_units(found: Sequence[Unit], reading: Selected) -> list[ScoredUnit]:
    """The units, each with the highest of the probabilities that an answer quotes its sentences."""
    scored = []
    for unit in found:
        first, last = unit.span
        covering = (p for start, end, p in reading["sentences"] if start < last and end > first)
        scored.append(ScoredUnit(unit, max(covering, default=0.0)))
    return scored
