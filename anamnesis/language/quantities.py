"""Numbers with their units as written in texts, and when two of them are the same amount.

'0.5 g' is '500 mg', '24 hours' are 'a day', 'two weeks' are '14 days' and 'one in five' is '20 %'.
The table of units is short: unit libraries do not read units in prose, and take longer to load than
all checks of an answer.
"""

import re
from math import isclose
from typing import NamedTuple

from anamnesis.language.lexicon import listed

_SMALL = ["zero", *listed("number", "teens")]
_TENS = dict(zip(listed("tens"), range(20, 100, 10), strict=True))
NUMBERS = {word: value for value, word in enumerate(_SMALL)} | _TENS | {"dozen": 12}
"""The value of a number in words."""
_POWERS = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_SHARES = {"half": 50.0, "third": 100 / 3, "thirds": 100 / 3, "quarter": 25.0, "quarters": 25.0,
           "fifth": 20.0, "fifths": 20.0, "tenth": 10.0}  # fmt: skip

MILLIGRAMS = {
    **dict.fromkeys(("mcg", "µg", "μg", "microgram"), 0.001),
    **dict.fromkeys(("mg", "milligram"), 1.0),
    **dict.fromkeys(("g", "gm", "gram"), 1000.0),
    **dict.fromkeys(("kg", "kilogram"), 1e6),
}
"""The units in which the amount of a medicine is given, in the singular."""
SECONDS = {
    **dict.fromkeys(("second", "sec"), 1.0),
    **dict.fromkeys(("minute", "min"), 60.0),
    **dict.fromkeys(("hour", "hr", "h"), 3600.0),
    "day": 86_400.0,
    "week": 604_800.0,
}
"""The units of time with a fixed length, in the singular."""
# The measured quantity, and the multiple of its smallest unit. A month has no fixed length.
_UNITS: dict[str, tuple[str, float]] = {
    **{unit: ("mass", factor) for unit, factor in MILLIGRAMS.items()},
    **{unit: ("duration", factor) for unit, factor in SECONDS.items()},
    "kilo": ("mass", 1e6),
    **dict.fromkeys(("pound", "lb"), ("mass", 453_592.37)),
    **dict.fromkeys(("ounce", "oz"), ("mass", 28_349.5)),
    **dict.fromkeys(("ml", "millilitre", "milliliter"), ("volume", 1.0)),
    **dict.fromkeys(("l", "litre", "liter"), ("volume", 1000.0)),
    **dict.fromkeys(("mm", "millimetre", "millimeter"), ("length", 1.0)),
    **dict.fromkeys(("cm", "centimetre", "centimeter"), ("length", 10.0)),
    **dict.fromkeys(("metre", "meter"), ("length", 1000.0)),
    **dict.fromkeys(("inch", "inche"), ("length", 25.4)),
    **dict.fromkeys(("foot", "feet"), ("length", 304.8)),
    "night": ("duration", 86_400.0), "fortnight": ("duration", 1_209_600.0),
    "hrs": ("duration", 3600.0),
    "month": ("months", 1.0), "year": ("months", 12.0), "decade": ("months", 120.0),
    "century": ("months", 1200.0),
    **dict.fromkeys(("%", "percent", "per cent"), ("share", 1.0)),
    **dict.fromkeys(("°c", "degrees celsius"), ("heat", 1.0)),
    **dict.fromkeys(("°f", "degrees fahrenheit"), ("heat", 5 / 9)),
    **dict.fromkeys(("mg/dl", "mg/ml", "mmol/l", "mmol", "mmhg", "iu", "unit", "time", "dose",
                     "tablet", "cup"), ("", 1.0)),
    "calorie": ("energy", 1.0), "kcal": ("energy", 1.0),
    **{f"{unit}/kg": (f"{unit}/kg", 1.0) for unit in ("mcg", "µg", "mg", "g", "ml")},
}  # fmt: skip


def any_unit(*units: str, without: str = "") -> str:
    """The spellings of these units as alternatives of a pattern, in the singular and plural.

    'mg' is 'milligrams?' too. Without units, those of every unit; those in ``without`` are left
    out. A unit that is not in the table raises ``KeyError``.
    """
    same = {_UNITS[unit] for unit in units if _UNITS[unit][0]}
    left = [
        item
        for item in sorted(_UNITS, key=len, reverse=True)
        if (not units or item in units or _UNITS[item] in same) and item not in without.split()
    ]
    return "|".join(
        re.escape(item) + ("s?" if item[-1].isalpha() and len(item) > 2 else "") for item in left
    )


def old(*periods: str) -> str:
    """An age after its number, as a pattern: 'years old', 'yrs. old', 'y/o', 'month-old'.

    ``periods`` are those of the lexicon in which the age is given.
    """
    years = r"y/?o|ye?a?rs?\.?[- ]?o(?:lds?)?"
    spelt = (years if period == "year" else rf"{period}s?[- ]olds?" for period in periods)
    return rf"(?:{'|'.join(spelt)})\b"


_PLURAL = any_unit()
_WORD = "|".join(sorted(NUMBERS, key=len, reverse=True))
_POWER = "|".join(_POWERS)
_TOKEN = re.compile(
    rf"""
    (?<![\w.]) (?:
        (?P<sign>(?<![^\s(])[-−])? (?P<digits>\d{{1,3}}(?:,\d{{3}})+|\d+|(?=\.\d)) (?P<part>\.\d+)?
      | (?P<tens>{"|".join(_TENS)})[-\ ](?P<ones>{"|".join(_SMALL[1:10])})(?!\w)
      | (?P<word>{_WORD})(?!\w)
      | (?P<article>an?)(?=[ ](?:{_POWER}|dozen|{_PLURAL})(?!\w))
    )
    (?:[-\s](?P<power>{_POWER})(?!\w))?
    (?: \s?(?:-\s?)? (?P<unit>{_PLURAL}) )?
    (?!\w)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SHARE = re.compile(
    rf"\b(?:(?P<count>{'|'.join(_SMALL[1:5])}|an?)[- ])?"
    rf"(?P<part>{'|'.join(_SHARES)})\b(?! (?:of )?(?:an?|the) (?:hour|day|year))"
    r"(?=(?: of\b|[ ]the\b|[ ]all\b|[.,;]|$))",
    re.IGNORECASE,
)
_OUT_OF = re.compile(r"\s(?:in|out of|of)(?: every| each)?\s", re.IGNORECASE)
_TO = re.compile(r"\s?(?:-|–|to|and|or)\s?", re.IGNORECASE)
_ABOUT = re.compile(r"\b(?:about|around|roughly|nearly|almost|approximately|some|close to)\s$")
_COUNTED = re.compile(r"\b(?:the|all|these|those|last|first|other)\s$", re.IGNORECASE)
_MONTHS = [item.capitalize() for item in listed("month")]
_ISO = re.compile(r"(?<![\d-])(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?![\d-])")
_YEARS = range(1500, 2200)

EXACT, ROUND = 0.00002, 0.05
"""Maximum difference of equal amounts, as a share of the larger one: exact, and with 'about'."""


class Quantity(NamedTuple):
    """An amount in a text.

    ``value`` is in the smallest unit of its ``kind`` ('mass', 'duration', 'share' in percent);
    ``kind`` is '' for a bare number. ``asked`` is false for words that are often not numbers
    ('one', 'a day'): they may confirm another amount, and need no confirmation. ``about``: the text
    says that the number is rounded.
    """

    written: str
    number: float
    value: float
    kind: str
    unit: str
    asked: bool
    about: bool


def quantities(text: str) -> list[Quantity]:
    """The amounts in a text, in order; the bounds of a range share its unit."""
    text = with_plain_dates(text)
    found: list[Quantity] = []
    places = list(_TOKEN.finditer(text))
    at = 0
    while at < len(places):
        match = places[at]
        following = places[at + 1] if at + 1 < len(places) else None
        between = text[match.end() : following.start()] if following else ""
        if following and _OUT_OF.fullmatch(between) and not match["unit"]:
            part, whole = _value(match), _value(following)
            if 0 < part < whole and (part == 1 or whole not in _YEARS) and not following["unit"]:
                written, percent = text[match.start() : following.end()], 100 * part / whole
                found.append(_share_quantity(written, percent, True, _rounded(text, match)))
                found += [_quantity(text, one, "", asked=False) for one in (match, following)]
                at += 2
                continue
        unit = _unit(match)
        if not unit and following and _TO.fullmatch(between):
            unit = _unit(following)
        found.append(_quantity(text, match, unit))
        at += 1
    for share in _SHARE.finditer(text):
        count = NUMBERS.get((share["count"] or "one").lower(), 1)
        value = count * _SHARES[share["part"].lower()]
        found.append(_share_quantity(share[0], value, asked=False, about=True))
    return found


def same_amount(one: Quantity, other: Quantity) -> bool:
    """Whether two amounts are of the same kind and equal, up to rounding.

    The tolerance is ``ROUND`` if a text says 'about', otherwise ``EXACT``, or 2 % for shares.
    """
    if one.kind != other.kind:
        return False
    within = ROUND if one.about or other.about else EXACT
    if one.kind == "share" and one.unit == other.unit:
        within = max(within, 0.02 if min(one.value, other.value) >= 1 else within)
    return isclose(one.value, other.value, rel_tol=within)


def with_plain_dates(text: str) -> str:
    """The text with dates such as 2010-03-12 written as '12 March 2010'."""
    return _ISO.sub(lambda item: f"{int(item[3])} {_MONTHS[int(item[2]) - 1]} {item[1]}", text)


def _share_quantity(written: str, percent: float, asked: bool, about: bool) -> Quantity:
    return Quantity(written, percent, percent, "share", "%", asked, about)


def _quantity(text: str, match: re.Match[str], unit: str, asked: bool = True) -> Quantity:
    kind, factor = _UNITS[unit] if unit else ("", 1.0)
    number = _value(match)
    value = number * factor
    if unit in ("°f", "degrees fahrenheit"):
        value -= 32 * factor
    word = (match["word"] or "").lower()
    # 'all three', 'the last two': the number of items in the text's own list.
    before = text[max(0, match.start() - 16) : match.start()]
    counted = word and not unit and _COUNTED.search(before)
    weak = match["article"] or word in ("one", "zero") or counted
    asked = asked and not weak
    return Quantity(
        match[0].strip(), number, value, kind or unit, unit, asked, _rounded(text, match)
    )


def _rounded(text: str, match: re.Match[str]) -> bool:
    return bool(_ABOUT.search(text[max(0, match.start() - 16) : match.start()].lower()))


def _value(match: re.Match[str]) -> float:
    if match["digits"] is not None:
        value = float((match["digits"].replace(",", "") or "0") + (match["part"] or ""))
        value = -value if match["sign"] else value
    elif match["tens"]:
        value = float(_TENS[match["tens"].lower()] + NUMBERS[match["ones"].lower()])
    else:
        value = float(NUMBERS[match["word"].lower()]) if match["word"] else 1.0
    return value * _POWERS[match["power"].lower()] if match["power"] else value


def single_unit(written: str) -> str:
    """A unit as in the table, in lower case and mostly in the singular; '' if it is none."""
    unit = written.lower()
    return unit if unit in _UNITS else unit[:-1] if unit[:-1] in _UNITS else ""


def _unit(match: re.Match[str]) -> str:
    return single_unit(match["unit"] or "")
