"""Ages, allergies and names that a question mentions, whoever it is about, and what it denies.

They only cause warnings (``nodes.checking.question_warning``), never relevance. Where a text can be
read in two ways, the reading is taken that warns.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence

from anamnesis.corpus.cautions import Key, Mention, families, longest_mentions, medicine_names
from anamnesis.language.lexicon import any_of
from anamnesis.language.negations import negating
from anamnesis.language.quantities import any_unit, old

MOST_NAMED = 40
"""Maximum names, ages and allergies of a question that count; more are not a question."""
_OLDEST = 120
_A_YEAR = {"y": 1, "m": 12, "w": 52, "d": 365}
_ANTIHISTAMINES, _NOT_DRUNK = "sedating antihistamines", "alcohol that is not drunk"
# '6 year old', '8-month-old', '3yo'. Of 412 in the questions of ``benchmarks.question_warnings``,
# 45 were drawn at random: all are ages of people.
_AGE = re.compile(
    rf"\b(\d{{1,3}})[- ]?(?=([ymwd])){old('year', 'month', 'week', 'day')}", re.IGNORECASE
)
# 'My mum is 84 and', 'Dad, 80,', 'grandmother (82)', 'aged 5'; not 'she is 12 and a half weeks'.
_AGED = re.compile(
    rf"(?:\b(?:i|{any_of('third', 'family', 'grandparent', 'child', without='it they')})"
    r"(?: is| am|['’]s|['’]m|,| ?\()"
    r"|\baged) ?(\d{1,3})\b"
    r"(?= ?(?:[,.;:!?)]|$|(?:and|with|who|but)\b(?! (?:a )?half)))",
    re.IGNORECASE,
)
# 'Under 1 year', 'children over 12', 'younger than 6 months', 'under the age of 2'. Of 595
# questions of ``asked`` that ask for a yes or a no and give an age, two have an answering sentence
# with a limit that leaves it out; one of these sentences answers all the same.
_LIMIT = re.compile(
    r"\b(?:(?P<upper>under|younger than)|over|older than) (?:the )?(?:age of |ages? )?"
    r"(?P<number>\d{1,3})\b"
    rf"(?! ?(?:{any_unit(without='month year')})(?!\w))"
    r"(?: (?P<unit>months?|years?)\b)?",
    re.IGNORECASE,
)
_ALLERGY = re.compile(r"\ballerg(?:y|ies|ic)(?P<list> to\b|:|\b)", re.IGNORECASE)
_LISTED = re.compile(r"(?:,| (and|or)\b|, (and|or)\b)?(?: (?:the|any))? ?")
# 'Not pregnant', 'never had', 'no longer on', 'don't drink', directly before a word. It takes no
# warning from the 12,135 questions of `python -m benchmarks.question_warnings`.
_DENIED = re.compile(
    rf"(?:\b(?P<may>{any_of('modal')}|must|may) )?\b(?P<not>{negating()})"
    rf"(?: (?:{any_of('denied_adverb', 'have')})){{0,4}} ?$",
    re.IGNORECASE,
)
_MODAL = re.compile(rf"(?:{any_of('modal')}|ca)n", re.IGNORECASE)
_BEFORE = 40
"""Characters before a word that may deny it."""


def ages(text: str) -> list[float]:
    """The ages in years that a text gives, each once; those in months, weeks or days in parts."""
    found = [int(number) / _A_YEAR[unit.lower()] for number, unit in _AGE.findall(text)]
    found += map(int, _AGED.findall(text))
    return list(dict.fromkeys(age for age in found if age <= _OLDEST))[:MOST_NAMED]


def beyond_ages(text: str, years: Sequence[float]) -> bool:
    """Whether a text has an age limit that leaves out everybody of these ages, in years.

    'Honey should not be given to babies under 1 year of age' says nothing of a child of two.
    """
    for limit in _LIMIT.finditer(text):
        bound = int(limit["number"]) / _A_YEAR[(limit["unit"] or "y")[0].lower()]
        if years and all(age >= bound if limit["upper"] else age < bound for age in years):
            return True
    return False


def allergies(text: str) -> list[str]:
    """The medicines and foods to which a text says that somebody is allergic, as it writes them."""
    named = longest_mentions(text, medicine_names())
    by_end = {one.end: one for one in named}
    starts = [one.start for one in named]
    found: list[Mention] = []
    for allergy in _ALLERGY.finditer(text):
        before = by_end.get(allergy.start() - 1)
        # 'Benadryl Allergy' is a product.
        if before and before.key not in families()[_ANTIHISTAMINES].members:
            found += [before] * (not denied(text, before.start))
        if allergy["list"] and not denied(text, allergy.start()):
            found += _listed(text, allergy.end(), named[bisect_left(starts, allergy.end()) :])
    return list(dict.fromkeys(text[one.start : one.end] for one in found))[:MOST_NAMED]


def _listed(text: str, end: int, named: list[Mention]) -> list[Mention]:
    """The names of a list that begins at ``end``: all, if *and* or *or* joins two of them.

    Otherwise the first: in 'allergic to penicillin, amoxicillin ok?' it ends at the comma.
    """
    listed: list[Mention] = []
    joined = False
    for one in named:
        between = _LISTED.fullmatch(text, end, one.start)
        if between is None:
            break
        joined = joined or any(between.groups())
        listed.append(one)
        end = one.end
    return listed if joined else listed[:1]


def denied(text: str, start: int) -> bool:
    """Whether the words directly before a place deny what is there: 'I am not pregnant'."""
    found = _DENIED.search(text[max(0, start - _BEFORE) : start])
    # 'Why can't I have', 'you should not be taking' say what may be, not what is.
    return found is not None and not found["may"] and not _MODAL.match(found["not"])


def names_in(text: str, names: frozenset[Key]) -> list[str]:
    """The first names that a text mentions and does not deny, as it writes them, each once."""
    found = {
        item.key: text[item.start : item.end]
        for item in longest_mentions(text, names)
        if item.key not in families()[_NOT_DRUNK].members and not denied(text, item.start)
    }
    return list(found.values())[:MOST_NAMED]


def without_names(text: str, names: frozenset[Key]) -> str:
    """The text without the names that it mentions: 'baby aspirin' mentions no baby."""
    pieces, end = [], 0
    for item in longest_mentions(text, names):
        pieces.append(text[end : item.start])
        end = item.end
    return " ".join([*pieces, text[end:]])
