"""Planted errors: a true sentence with one change, so that its source no longer supports it.

Kinds: number, dose, negation, direction of effect, population, certainty, entity, roles. Used to
train the critic and, on topics that it was not trained on, to measure which errors it misses.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from anamnesis.language.lexicon import any_of, listed
from anamnesis.language.negations import NOT
from anamnesis.language.quantities import MILLIGRAMS, single_unit
from evaluation.swaps import AFFIRMED, AUXILIARIES, CERTAINTY, GROUPS, SINGULAR, SWAPS
from evaluation.vocabulary import SUFFIXED, SYMBOL, Vocabulary

_FIT_NEARLY_ALL = frozenset({"negation", "entity", "direction"})
CONTRADICTING = frozenset({"number", "dose", "negation", "direction"})
"""Kinds that the source contradicts; of the others it only lacks support."""

_NUMBER = re.compile(r"(?<![\w.,/-])(\d{1,4}(?:\.\d+)?)(?![\w/]|[.,]\d|-\w)")
_UNITS = {
    "mg": ("mcg", "g"), "mcg": ("mg",), "g": ("mg", "kg"), "kg": ("g",), "ml": ("l",),
    "second": ("minute", "hour"), "minute": ("hour", "day"), "hour": ("day", "minute"),
    "day": ("week", "hour"), "week": ("day", "month"), "month": ("week", "year"),
    "year": ("month", "week"),
}  # fmt: skip
_UNIT = re.compile(
    rf"\b(\d+(?:\.\d+)?)([ -])({'|'.join(unit for unit in MILLIGRAMS if unit in _UNITS)}"
    rf"|ml|percent|(?:{any_of('period')})s?)\b"
    r"|(?<!\d)(\d++(?:\.\d+)?)(%)"
)
_WORDS = [*listed("number", "tens", without="one forty sixty seventy eighty ninety"), "half"]
_NEGATIVE = re.compile(
    rf"\b(?P<bare>{any_of('be', 'do', 'modal', 'possibility', without='would')})"
    rf"{NOT}\b"
)
_AUXILIARY = re.compile(
    rf"\b(?:(?:{'|'.join(AUXILIARIES)})\b(?! not)|(?:{any_of('have')})\b(?= \w+(?:ed|en|own) ))"
)
_IS_NOUN = re.compile(rf" (?:of|for|{any_of('be', without='was')}|include|may|can)\b|[.,;:)]")
_CAUSES = re.compile(
    r"^(?P<a>[A-Z][\w -]{3,50}?) (?P<verb>can cause|may cause|causes|can lead to|may lead to"
    r"|leads to|results from|precedes|inhibits|activates) "
    r"(?P<b>[a-z][\w -]{3,50}?)(?P<rest>[.;,].*)$"
)


@dataclass(frozen=True, slots=True)
class Planted:
    """A sentence with a planted error of the given ``kind``."""

    text: str
    kind: str


Corrupt = Callable[[str, str, Vocabulary, random.Random], str | None]


def corrupt(
    sentence: str, premise: str, vocabulary: Vocabulary, rng: random.Random, topic: str = ""
) -> Planted | None:
    """The sentence with one error that ``premise`` does not support, or None if none fits.

    The kind is drawn from those that fit. The inserted words do not occur in the premise.
    """
    kinds = list(_KINDS)
    rng.shuffle(kinds)
    # Nearly every sentence can be negated and few have a dose: lower the chance of frequent kinds.
    kinds.sort(key=lambda kind: kind in _FIT_NEARLY_ALL and rng.random() < 0.6)
    for kind in kinds:
        changed = (
            _topic(sentence, premise, vocabulary, rng, topic)
            if kind == "entity" and topic
            else None
        ) or _KINDS[kind](sentence, premise, vocabulary, rng)
        if changed and changed != sentence and changed not in premise:
            return Planted(changed, kind)
    return None


def _topic(
    sentence: str, premise: str, vocabulary: Vocabulary, rng: random.Random, topic: str
) -> str | None:
    """The topic replaced by another one, with the same last word if possible."""
    found = re.search(rf"\b{re.escape(topic)}\b", sentence, re.IGNORECASE)
    if not found or rng.random() < 0.4:
        return None
    alike = vocabulary.topics.get(topic.split()[-1].casefold(), [])
    others = alike if len(alike) > 3 else rng.choice(list(vocabulary.topics.values()))
    return _put(sentence, found, _other(others, premise, rng))


def _entity(sentence: str, premise: str, vocabulary: Vocabulary, rng: random.Random) -> str | None:
    """Another gene, another word with the same ending, another member of a group."""
    suffixed = vocabulary.suffixed
    tries: list[tuple[re.Match[str], Sequence[str]]] = [
        *((found, vocabulary.symbols) for found in SYMBOL.finditer(sentence)),
        *((found, suffixed.get(found[0][-4:], ())) for found in SUFFIXED.finditer(sentence)),
        *((found, group) for group, pattern in _GROUPS for found in pattern.finditer(sentence)),
    ]
    rng.shuffle(tries)
    for found, others in tries:
        changed = _put(sentence, found, _other(others, premise, rng))
        if changed:
            return changed
    return None


def _number(sentence: str, premise: str, _: Vocabulary, rng: random.Random) -> str | None:
    """Another number, in figures or in words."""
    found = list(_NUMBER.finditer(sentence))
    words = [
        item
        for item in re.finditer(rf"\b({'|'.join(_WORDS)})\b", sentence, re.IGNORECASE)
        if rng.random() < 0.5 or not found
    ]
    places = found + words
    if not places:
        return None
    place = rng.choice(places)
    others = _numbers_near(place[0]) if place[0][0].isdigit() else _WORDS
    return _put(sentence, place, _other(others, premise, rng))


def _numbers_near(written: str) -> list[str]:
    """Numbers that could be written by mistake for the given one."""
    value = float(written)
    if "." in written:
        near = [value * 10, value / 2, value + 1, value * 2]
        return [f"{item:.{len(written.split('.')[1])}f}" for item in near]
    if len(written) == 4 and 1700 < value < 2100:
        return [str(int(value) + step) for step in (-20, -11, -3, 4, 10)]
    step = max(1, int(value * 0.3))
    near = [value * 10, value // 2, value + step, value - step, value * 2, value * 3, value + 1]
    return [str(int(item)) for item in near if item > 0 and item != value]


def _dose(sentence: str, premise: str, _: Vocabulary, rng: random.Random) -> str | None:
    """Another amount with the same unit, or the same amount with another unit."""
    places = list(_UNIT.finditer(sentence))
    if not places:
        return None
    place = rng.choice(places)
    number, gap, unit = (place[1], place[2], place[3]) if place[3] else (place[4], "", place[5])
    others = [f"{item}{gap}{unit}" for item in _numbers_near(number)]
    for other in _UNITS.get(single_unit(unit), ()):
        others += [f"{number}{gap}{other}{'s' if unit.endswith('s') else ''}"] * 2
    return _put(sentence, place, _other(others, premise, rng))


def _negation(sentence: str, _: str, __: Vocabulary, rng: random.Random) -> str | None:
    """A negation removed, or one inserted after the first auxiliary or before the verb."""
    there = _NEGATIVE.search(sentence)
    if there:
        bare = "" if there["bare"] in listed("do") else there["bare"]
        left = sentence[: there.start()] + bare + sentence[there.end() :]
        return re.sub(r" {2,}", " ", left)
    for one, other in AFFIRMED:
        if re.search(rf"\b{one}\b", sentence):
            return re.sub(rf"\b{one}\b", other, sentence, count=1)
    places = list(_AUXILIARY.finditer(sentence))
    verbs = [
        item
        for item in re.finditer(r"(?<=[\w)] )[a-z]+", sentence)
        if item[0] in SINGULAR and not _IS_NOUN.match(sentence, item.end())
    ]
    if places and (not verbs or rng.random() < 0.7):
        place = places[0] if rng.random() < 0.8 else rng.choice(places)
        return f"{sentence[: place.end()]} not{sentence[place.end() :]}"
    if verbs:
        place = verbs[0]
        return _put(sentence, place, f"does not {SINGULAR[place[0]]}")
    return None


def _swapped(kind: str) -> Corrupt:
    """A word replaced by its opposite, from the pairs of a kind."""
    pairs = [
        (re.compile(rf"\b{one}\b", re.IGNORECASE), other)
        for a, b in SWAPS[kind]
        for one, other in ((a, b), (b, a))
    ]

    def change(sentence: str, premise: str, _: Vocabulary, rng: random.Random) -> str | None:
        places = [(item, other) for one, other in pairs for item in one.finditer(sentence)]
        rng.shuffle(places)
        for place, other in places:
            if kind != "population" or other.casefold() not in premise.casefold():
                return _put(sentence, place, other)
        return None

    return change


def _certainty(sentence: str, premise: str, _: Vocabulary, rng: random.Random) -> str | None:
    """More or less certain or frequent than in the source."""
    places = [
        (item, other)
        for one, others in _CERTAINTY
        for item in one.finditer(sentence)
        for other in others
    ]
    if not places:
        return None
    place, other = rng.choice(places)
    return _put(sentence, place, other)


def _certain(words: str) -> re.Pattern[str]:
    """Where these words occur, but not as the beginning of a longer phrase of ``CERTAINTY``.

    'Some' and the like are also found at the beginning of a sentence.
    """
    first = f"[{words[0].upper()}{words[0]}]" if words in _QUANTIFIERS else words[0]
    longer = [other.removeprefix(words) for other in CERTAINTY if other.startswith(f"{words} ")]
    ends = f"(?!{'|'.join(longer)})" if longer else ""
    return re.compile(rf"\b{first}{words[1:]}{ends}\b")


_QUANTIFIERS = frozenset(("some", "most", "many"))
_CERTAINTY = [(_certain(words), others) for words, others in CERTAINTY.items()]


def _roles(sentence: str, _: str, __: Vocabulary, rng: random.Random) -> str | None:
    """Cause and effect exchanged."""
    found = _CAUSES.match(sentence)
    if not found:
        return None
    one, other = found["a"], found["b"]
    kept = one if one[1:2].isupper() else one[0].lower() + one[1:]
    return f"{other[0].upper()}{other[1:]} {found['verb']} {kept}{found['rest']}"


_KINDS: Mapping[str, Corrupt] = {
    "entity": _entity,
    "number": _number,
    "dose": _dose,
    "negation": _negation,
    "direction": _swapped("direction"),
    "population": _swapped("population"),
    "certainty": _certainty,
    "roles": _roles,
}

_GROUPS = [(group, re.compile(rf"\b(?:{'|'.join(map(re.escape, group))})\b")) for group in GROUPS]


def _other(others: Sequence[str], premise: str, rng: random.Random) -> str | None:
    """One of the others that is not in the premise."""
    for _ in range(8):
        if not others:
            return None
        other = rng.choice(others)
        if not re.search(rf"\b{re.escape(other)}\b", premise, re.IGNORECASE):
            return other
    return None


def _put(sentence: str, place: re.Match[str], other: str | None) -> str | None:
    """The sentence with other words in that place, capitalised if the old ones were."""
    if not other:
        return None
    if place[0][0].isupper() and not place[0][:2].isupper():
        other = other[0].upper() + other[1:]
    return sentence[: place.start()] + other + sentence[place.end() :]
