"""Find sources that disagree on a dose, or on whether to stop a treatment.

A statement that another source disagrees with is shown together with that source. Rules compare
words and numbers, because a critic confuses 2 g with 4 g too easily.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from anamnesis.corpus.doses import UNITS, Dose, Named, context, doses, has_amount, in_table
from anamnesis.corpus.passage import Passage
from anamnesis.language.lexicon import any_of, listed
from anamnesis.language.text import Span, sentences, tokenize
from anamnesis.language.words import content_terms, stem
from nodes.checking.stopping import goes_on, named_medicine, stopped_in
from nodes.evidence.safety import quotable
from nodes.state import Evidence

_APART = 2.0
"""Two sources disagree if one dose is at least this many times the other."""

_FAR = 5.0
"""The factor if one of the doses is a first dose, a limit, or for another purpose or topic."""

_MOST_DOSES = 50
"""Maximum number of different doses per sentence that are compared."""

_BEFORE = 400
"""Characters before a statement that are searched for the start of the preceding sentence."""

_OF = re.compile(
    rf"\d[ -]?(?:{'|'.join(sorted(UNITS, key=len, reverse=True))}) of (?:the )?"
    r"(?P<what>[a-z][\w-]{2,40})",
    re.IGNORECASE,
)
_DOSE = re.compile(rf"\b(?:{any_of('dosed')})\b", re.I)
# Words that occur in every topic.
_ANY_TOPIC = frozenset(map(stem, listed("any_topic")))
_CHILD = re.compile(rf"\b(?:{any_of('children')}|years? old)\b", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:start\w{0,4}|initial\w{0,2}|begin\w{0,4}|first|loading)\b", re.I)
_PURPOSE = re.compile(r"\b(?:for|to (?:treat|prevent|relieve|reduce)) ((?:[a-z-]{1,30} ?){1,4})")


class TreatmentClaim(NamedTuple):
    """What a statement says about a dose, or about stopping a treatment.

    ``stopped`` are the first letters of the words that name the treatment to be stopped, ``names``
    the words that may name the medicine if no known one is named, ``topic`` the topic's stems.
    """

    record_id: str
    focus: str
    stopped: frozenset[str]
    doses: tuple[Dose, ...]
    names: frozenset[str]
    topic: frozenset[str]
    whom: "Whom"


class Whom(NamedTuple):
    """Who the doses in a text are for, and for what purpose."""

    child: bool
    first: bool
    purposes: frozenset[str]


def _whom(text: str) -> Whom:
    return Whom(bool(_CHILD.search(text)), bool(_FIRST.search(text)), _purposes(text))


def treatment_claim(statement: str, citing: Passage, question: str = "") -> TreatmentClaim | None:
    """What a statement claims about a dose or stopping a treatment; None if it is about neither.

    ``question`` is the one that it answers.
    """
    stopped = stopped_in(statement)
    about, names = _topic_texts(statement, citing), frozenset[str]()
    dosed = doses(statement, about, named_medicine) if has_amount(statement) else []
    if not dosed and has_amount(statement):
        names = _own_names(statement, citing)
        dosed = doses(statement, about[:-2], _as_one_medicine(names)) if names else []
    if not stopped and not dosed:
        return None
    topic = _topic(" ".join((statement, citing.heading, citing.title, citing.focus, question)))
    focus, record_id = citing.focus.casefold(), citing.record_id
    distinct, whom = tuple(dict.fromkeys(dosed))[:_MOST_DOSES], _whom(statement)
    return TreatmentClaim(record_id, focus, frozenset(stopped), distinct, names, topic, whom)


def disagreeing_evidence(
    statement: str, citing: Passage, others: Iterable[Passage]
) -> Evidence | None:
    """The place where another record gives a different dose, or says to continue the treatment.

    ``others`` are passages on any topic. Text that is unsafe to quote is not considered.
    """
    claim = treatment_claim(statement, citing)
    return against(claim, others) if claim else None


def against(
    claim: TreatmentClaim, others: Iterable[Passage], whole_index: bool = False
) -> Evidence | None:
    """The first place where one of the other passages disagrees with a claim, or None.

    With ``whole_index``, the others are all passages of an index on the medicine; if no table lists
    the medicine, a dose above all of theirs disagrees with the highest one.
    """
    medicines = {dose.medicine for dose in claim.doses} if whole_index else set[str]()
    unlisted = {name for name in medicines if not in_table(name)}
    greatest: dict[str, tuple[float, Evidence]] = {}
    for item in others:
        if item.record_id == claim.record_id:
            continue
        on_topic = _on_topic(claim, item)
        for span, text, stated in _sayings(item, claim):
            found: Evidence = {"document": item.id, "start": span.start, "end": span.end}
            whom = _whom(text) if stated else claim.whom
            apart = stated and _doses_apart(claim, stated, whom, on_topic)
            going_on = claim.stopped and on_topic and goes_on(text, claim.stopped)
            if (apart or going_on) and quotable(item, span):
                return found
            for dose in stated:
                known = greatest[dose.medicine][0] if dose.medicine in greatest else 0.0
                if dose.medicine not in unlisted or _daily_amount(dose) <= known:
                    continue
                # A child's dose does not show how much is too much for others.
                if whom.child and not claim.whom.child:
                    continue
                if quotable(item, span):
                    greatest[dose.medicine] = _daily_amount(dose), found
    for dose in claim.doses:
        most, place = greatest.get(dose.medicine, (0.0, None))
        if place and _daily_amount(dose) > most * 1.001:
            return place
    return None


def _sayings(passage: Passage, claim: TreatmentClaim) -> Iterator[tuple[Span, str, list[Dose]]]:
    """The sentences of a passage that may disagree with a claim, each with its doses."""
    dosed = claim.doses and has_amount(passage.text)
    if not dosed and not claim.stopped:
        return
    named = _as_one_medicine(claim.names) if claim.names else named_medicine
    before = ""
    for span in sentences(passage.text):
        text = passage.text[span.start : span.end]
        about = (*context(text, before, passage.heading), passage.title, passage.focus)
        stated = doses(text, about, named) if dosed and has_amount(text) else []
        yield span, text, list(dict.fromkeys(stated))[:_MOST_DOSES]
        before = text


def _topic_texts(statement: str, citing: Passage) -> tuple[str, ...]:
    """Texts in which to find the medicine of a statement; the last two are topics."""
    at = citing.text.find(statement)
    before = citing.text[max(0, at - _BEFORE) : max(0, at)]
    last = [before[span.start : span.end] for span in sentences(before)][-1:]
    return (*context(statement, "".join(last), citing.heading), citing.title, citing.focus)


def _own_names(statement: str, citing: Passage) -> frozenset[str]:
    """Words that may name an unknown medicine: '5 g of X', or the topic of the record."""
    asks = _DOSE.search(citing.heading)
    if not (asks or _DOSE.search(statement)):
        return frozenset()  # of food, or of a test
    # 'Vitamin' alone is the name of many.
    if found := _specific(item["what"].lower() for item in _OF.finditer(statement)):
        return found
    names = _specific(word for word in content_terms(citing.focus or citing.title) if len(word) > 3)
    spoken = names & frozenset(tokenize(statement))
    return spoken or (names if asks else spoken)


def _specific(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word for word in words if stem(word) not in _ANY_TOPIC)


def _as_one_medicine(names: frozenset[str]) -> Named:
    """A look-up function that treats all of the names as one medicine."""
    one = min(names)
    return lambda word: one if word in names else None


def _topic(text: str) -> frozenset[str]:
    words = [word for word in content_terms(text) if len(word) > 2 and not word.isdigit()]
    return frozenset(map(stem, words)) - _ANY_TOPIC


def _on_topic(claim: TreatmentClaim, passage: Passage) -> bool:
    """Whether a passage may be about the topic of a claim; False if the two topics differ."""
    if not passage.focus or not claim.focus or passage.focus.casefold() == claim.focus:
        return True
    return not claim.topic.isdisjoint(_topic(passage.focus))


def _doses_apart(claim: TreatmentClaim, others: Iterable[Dose], whom: Whom, on_topic: bool) -> bool:
    """Whether a sentence gives a very different dose of a medicine for the same people."""
    pairs = [
        (mine, theirs)
        for mine in claim.doses
        for theirs in others
        if mine.medicine == theirs.medicine
    ]
    if any(_equal_doses(*pair) for pair in pairs):
        return False
    purposes = claim.whom.purposes, whom.purposes
    elsewhere = not on_topic or (all(purposes) and purposes[0].isdisjoint(purposes[1]))
    return any(_differ(*pair, claim.whom, whom, elsewhere) for pair in pairs)


def _purposes(text: str) -> frozenset[str]:
    found = _PURPOSE.findall(text.lower())
    return frozenset(stem(term) for purpose in found for term in content_terms(purpose))


def _daily_amount(dose: Dose) -> float:
    return max(dose.daily or 0.0, dose.single or 0.0)


def _ratio(one: Dose, other: Dose) -> float | None:
    """The ratio of one dose to the other, per day if known, otherwise per single dose.

    If a single dose is above the other's daily dose, their quotient is a lower bound on the ratio.
    """
    if one.daily and other.daily:
        return one.daily / other.daily
    if one.daily is None and other.daily is None and one.single and other.single:
        return one.single / other.single
    if one.daily is None and one.single and other.daily and one.single > other.daily:
        return one.single / other.daily
    if other.daily is None and other.single and one.daily and other.single > one.daily:
        return one.daily / other.single
    return None


def _differ(one: Dose, other: Dose, mine: Whom, theirs: Whom, elsewhere: bool) -> bool:
    """Whether a dose differs from that of another sentence without a stated reason.

    Reasons are that children take less than adults, that a first dose is lower than later ones, and
    that a dose may be below a maximum. If the table has the medicine's maximum dose, a reason
    explains any difference, otherwise a difference up to a factor of five.
    """
    ratio = _ratio(one, other)
    if ratio is None or 1 / _APART <= ratio <= _APART:
        return False
    more, less = (mine, theirs) if ratio > 1 else (theirs, mine)
    greater, smaller = (one, other) if ratio > 1 else (other, one)
    if less.child and not more.child:
        return False
    reason = elsewhere or (less.first and not more.first) or (greater.limit and not smaller.limit)
    return not reason or (in_table(one.medicine) is None and not 1 / _FAR <= ratio <= _FAR)


def _equal_doses(one: Dose, other: Dose) -> bool:
    ratio = _ratio(one, other)
    return ratio is not None and 1 / _APART <= ratio <= _APART
