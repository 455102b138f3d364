"""The dose of a medicine in a sentence, in milligrams and hours.

Only recommendations are read. A warning ('10 g can be fatal', 'took 50 g'), a dose by weight ('15
mg/kg') and a concentration ('5 mg/dL') do not say how much to take. If a dose is given as a range,
the reading with the smallest daily dose counts: the longest interval, the fewest doses a day.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from anamnesis.corpus.medicines import maxima
from anamnesis.language.lexicon import any_of
from anamnesis.language.negations import NOT, negating
from anamnesis.language.quantities import MILLIGRAMS, NUMBERS, SECONDS

_PER_UNIT = {name: mg for unit, mg in MILLIGRAMS.items() for name in (unit, f"{unit}s")}
UNITS = tuple(_PER_UNIT)
"""The units of an amount in lower case, as they may be written."""

# A month counts as 30 days.
_HOURS = {unit: length / 3600 for unit, length in SECONDS.items()} | {"month": 720.0}
_WORDS = NUMBERS | {
    "a": 1, "an": 1, "once": 1, "twice": 2, "thrice": 3, "hundred": 100, "half": 0.5, "other": 2,
}  # fmt: skip
_N = rf"(?:\d[\d,]{{0,11}}+(?:\.\d{{1,6}}+)?+|half|hundred|{'|'.join(NUMBERS)})"
_TO = r"(?:\s?(?:-|–|to|or)\s?)"
_AMOUNT = re.compile(
    rf"(?<![\w.])(?:(?P<count>{_N}){_TO}?(?P<most>{_N})?\s?(?:x|×|tablets? of|capsules? of"
    rf"|pills? of"
    rf"|doses? of)?\s)?(?:(?P<low>{_N}){_TO})?(?P<value>half a"
    rf"|{_N})[\s-]?(?P<unit>{'|'.join(UNITS)})\b"
    r"(?P<tablets> (?:\w+ )?(?:tablet|capsule|caplet|pill)s?\b)?"
    r"(?P<per>\s?/\s?\w+| per (?!day|dose|24)\w+| (?:for each|for every|each) kilo\w*)?",
    re.IGNORECASE,
)
_OFTEN = re.compile(
    rf"(?:every|each|at intervals of)\s(?:(?P<every>{_N}|other){_TO}?(?P<late>{_N})?[\s-]?)?"
    rf"(?P<unit>{'|'.join(_HOURS)})s?\b"
    rf"|(?<!\d)(?P<times>once|twice|thrice|{_N}){_TO}?(?P<upto>{_N}|twice)?\s?(?:times?|x|×)?\s?"
    rf"(?:(?:a|an|in|in any|per|each|every|/)\s?(?P<per>{any_of('period', without='second year')}"
    r"|24\s?h(?:ours)?)\b"
    rf"|(?P<adverb>{any_of('frequency', without='yearly')}))"
    rf"|(?<!\d)(?P<hourly>{_N})[\s-]hourly\b"
    r"|(?P<total>(?:a|per|each|every|in a|in any|in one|/)\s?(?:day|24[\s-]?h(?:ours?)?\b)|daily"
    r"|in 24 hours|at (?:night|bedtime)|(?:in the|each|every) (?:morning|evening|night)|nightly)"
    r"|(?P<week>(?:a|per|each|every) week|weekly)"
    r"|(?P<hour>(?:an|per|each|every) hour|hourly)",
    re.IGNORECASE,
)
# 'No more than 4 g a day' says how much may be taken; 'more than 10 g a day can kill' does not.
_LIMIT = re.compile(
    rf"\b(?:(?:{negating()})\b(?: \w+){{0,3}} (?:{any_of('exceeding')}|beyond)"
    r"|maximum|max\.?|up to|at most|as much as|limit(?:ed)?|highest)\b",
    re.IGNORECASE,
)
_HARM = any_of("harm")
_HARMLESS = re.compile(
    rf"\b(?:{negating()})\b(?: \w+){{0,3}} (?:{_HARM}|risk\w*|wrong|die)|\bharmless\b"
    r"|\b(?:safe|safely)\b",
    re.IGNORECASE,
)
_WARNS = re.compile(
    rf"\b(?:{any_of('exceeding', 'dose_warning', 'harm')}"
    rf"|(?:do|does|should|must|can){NOT})\b|\?\s*$",
    re.IGNORECASE,
)
# The table is not about doses given by another route, in a hospital or in a trial.
_ELSEWHERE = re.compile(rf"\b(?:{any_of('other_use')})\b", re.IGNORECASE)
_BEYOND_ANY_USE = 10.0
"""No dose reaches this many times the table's figure, whatever the route and the place."""

_WEIGHS = re.compile(r"\bweigh\w{0,5}\b", re.IGNORECASE)
"""Kilograms in a sentence about somebody's weight are no dose."""

_OF = 4
"""Maximum characters between an amount and its medicine: '500 mg of aspirin'."""

_CLOSER = 0.5
"""The share of the shortest interval between doses that is still accepted: tables round."""


class Dose(NamedTuple):
    """One amount of a medicine, and how it is used.

    ``daily`` and ``single`` are in milligrams, ``interval`` in hours; None if not stated. A
    ``limit`` is the maximum that may be taken, not the amount that should be taken.
    """

    medicine: str
    daily: float | None
    single: float | None
    interval: float | None
    limit: bool


Named = Callable[[str], str | None]
"""The medicine of a word or name in lower case, or None."""


def in_table(name: str) -> str | None:
    """The table's name of a medicine, or None if it does not have it."""
    found = maxima().get(name)
    return found.medicine if found else None


def doses(sentence: str, about: Sequence[str] = (), named: Named = in_table) -> list[Dose]:
    """The doses that a sentence recommends.

    An amount belongs to the medicine named directly after it ('500 mg of aspirin'), otherwise to
    the one before it, otherwise to the next. If the sentence names no medicine, it is taken from
    the first text of ``about`` (the sentence before, then the heading) that names any, if that
    names only one.
    """
    body = _WEIGHS.search(sentence) is not None
    amounts = [
        item
        for item in _AMOUNT.finditer(sentence)
        if not item["per"] and not (body and item["unit"].lower().startswith("k"))
    ]
    if not amounts:
        return []
    medicines = _medicines(sentence, named)
    for text in about:
        if not medicines:
            medicines = _medicines(text, named)
            if len({name for _, name in medicines}) > 1:
                return []
    often = list(_OFTEN.finditer(sentence))
    limits = [item.end() for item in _LIMIT.finditer(sentence)]
    warns = _WARNS.search(_HARMLESS.sub(" ", sentence)) is not None
    found = []
    for place, amount in enumerate(amounts):
        limited = any(0 <= amount.start() - end <= 25 for end in limits)
        if not medicines or (warns and not limited):
            continue
        until = amounts[place + 1].start() if place + 1 < len(amounts) else len(sentence)
        after = [item for item in often if amount.end() <= item.start() < until]
        before = [item for item in often if item.end() <= amount.start()]
        how = next(iter(after[:1] or before[-1:]), None)
        found.append(_dose(amount, how, _owner(medicines, amount), limited))
    return found


def context(sentence: str, before: str, heading: str) -> tuple[str, ...]:
    """Where to find the medicine of a sentence that names none: the ``about`` of ``doses``.

    The sentence before counts only if this one continues it ('Take it …', 'The usual dose is …').
    """
    return (before, heading) if _GOES_ON.match(sentence) else (heading,)


def above_maximum(sentence: str, about: Sequence[str] = ()) -> list[str]:
    """The medicines for which a sentence recommends more than the table allows.

    ``about`` as in ``doses``.
    """
    factor = _BEYOND_ANY_USE if _ELSEWHERE.search(sentence) else 1.0
    found = []
    for dose in doses(sentence, about):
        most = maxima()[dose.medicine]
        taken = max(dose.daily or 0.0, dose.single or 0.0)
        often = dose.daily is not None and dose.single is not None and dose.daily > dose.single
        if (
            taken > most.daily * factor * 1.001
            or (often and most.single and (dose.single or 0) > most.single * factor * 1.001)
            or (
                dose.interval is not None
                and most.interval is not None
                and dose.interval * factor < most.interval * _CLOSER
            )
        ):
            found.append(dose.medicine)
    return list(dict.fromkeys(found))


def has_amount(text: str) -> bool:
    """Whether a text has any amount in milligrams or a similar unit."""
    return _AMOUNT.search(text) is not None


_GOES_ON = re.compile(
    rf"\W{{0,3}}(?:{any_of('how_to_take')}|the (?:\w{{1,20}} ){{0,2}}dose)\b", re.IGNORECASE
)
_TOKEN = re.compile(r"[^\W\d_][\w-]*")


def _medicines(text: str, named: Named) -> list[tuple[int, str]]:
    """The start and the name of each medicine in a text, in the order of the text."""
    words = list(_TOKEN.finditer(text.lower()))
    found = []
    for place, word in enumerate(words):
        following = words[place + 1] if place + 1 < len(words) else None
        if (following and (name := named(f"{word[0]} {following[0]}"))) or (name := named(word[0])):
            found.append((word.start(), name))
    return found


def _owner(medicines: list[tuple[int, str]], amount: re.Match[str]) -> str:
    behind = bisect_right([start for start, _ in medicines], amount.start())
    if behind < len(medicines) and medicines[behind][0] - amount.end() <= _OF:
        return medicines[behind][1]
    return medicines[max(0, behind - 1)][1]


def _dose(amount: re.Match[str], how: re.Match[str] | None, medicine: str, limit: bool) -> Dose:
    per_unit = _PER_UNIT[amount["unit"].lower()]
    value = 0.5 if amount["value"].lower() == "half a" else _number(amount["value"])
    counted = amount["count"] and (amount["tablets"] or re.search(r"x|×|\bof", amount[0]))
    count = _number(amount["most"] or amount["count"]) if counted else 1.0
    taken = value * per_unit * count
    daily, single, interval = _frequency(how, taken)
    return Dose(medicine, daily, single, interval, limit)


def _frequency(
    how: re.Match[str] | None, taken: float
) -> tuple[float | None, float | None, float | None]:
    """Milligrams per day and per single dose, and hours between doses."""
    if how is None:
        return None, taken, None
    if how["total"]:
        return taken, None, None
    if how["week"]:
        return taken / 7, taken, None
    if how["hour"]:
        return taken * 24, taken, 1.0
    if how["unit"] or how["hourly"]:
        number = how["late"] or how["every"] or how["hourly"]
        interval = _HOURS[(how["unit"] or "hour").lower()] * (_number(number) if number else 1.0)
        if not interval:
            return None, taken, None
        if not number and interval == 24:
            return taken, None, None  # 'every day'
        return taken * 24 / interval, taken, interval if interval < 24 else None
    times = min(_number(item) for item in (how["times"], how["upto"]) if item)
    per = how["per"] or how["adverb"].lower().replace("daily", "day").removesuffix("ly")
    hours = 24.0 if per.startswith("24") else _HOURS[per.lower()]
    return taken * times * 24 / hours, taken, None


def _number(text: str) -> float:
    written = text.lower().replace(",", "")
    return float(_WORDS[written]) if written in _WORDS else float(written)
