"""Who should ask for advice before taking a medicine: tables that ship with the program.

``medicine_families.tsv`` has families of medicines (and a few foods), with the names of their
members, and whether an allergy to one member counts for all. ``cautions.tsv`` lists, for values of
a field of a patient profile, the medicines or families to ask about first, the reason, and a public
reference. ``other_conditions.tsv`` has conditions that a caution does not hold for although their
names contain its condition's: a mouth ulcer is no stomach ulcer. No table is complete: a medicine
that is missing may still be unsafe.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from anamnesis.corpus.shipped import lines
from anamnesis.errors import CorpusError
from anamnesis.language.names import name_word
from anamnesis.language.words import singular

Key = tuple[str, ...]
"""A name in the form for comparison: its words in lower case without apostrophes, each in the form
of ``anamnesis.language.names.name_word``."""

_WORD = re.compile(r"\w+(?:['’]\w+)*")


class Family(NamedTuple):
    """Medicines that belong together.

    ``shared``: a person who is allergic to one may react to the others.
    """

    name: str
    shared: bool
    members: frozenset[Key]
    reference: str


class Caution(NamedTuple):
    """Medicines to ask about first, for people whose profile has one of the values ``of``.

    If ``field`` is the age, the caution holds from ``least`` to ``most`` years, both included.
    """

    field: str
    of: frozenset[Key]
    least: float
    most: float
    medicines: frozenset[Key]
    why: str
    reference: str


class Mention(NamedTuple):
    """A name in a text: its key and its place, in characters."""

    key: Key
    start: int
    end: int


def comparison_key(name: str) -> Key:
    """A name in the form for comparison."""
    return tuple(map(_compared, _WORD.findall(name)))


def mentions(text: str, names: frozenset[Key]) -> list[Mention]:
    """The names that a text mentions, in order; the longest first of those that begin together."""
    words = [(_compared(item[0]), item.start(), item.end()) for item in _WORD.finditer(text)]
    lengths = sorted({len(name) for name in names}, reverse=True)
    found = []
    for at in range(len(words)):
        for length in lengths:
            some = words[at : at + length]
            name = tuple(word for word, _, _ in some)
            if len(name) == length and name in names:
                found.append(Mention(name, some[0][1], some[-1][2]))
    return found


def longest_mentions(text: str, names: frozenset[Key]) -> list[Mention]:
    """As ``mentions``, without those within a longer one: 'cranberry' in 'cranberry juice'."""
    kept: list[Mention] = []
    for one in mentions(text, names):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


@cache
def families() -> Mapping[str, Family]:
    """The families by name. Raises CorpusError if the table is damaged."""
    return {
        name: Family(name, shared == "yes", _keys(f"{name},{members}"), reference)
        for name, shared, members, reference in _rows("medicine_families.tsv", 4)
    }


def families_named(medicines: Iterable[str], text: str) -> list[Family]:
    """The families that a text names and to which one of the medicines belongs.

    A page on lisinopril and other ACE inhibitors names the family of ramipril.
    """
    keys = frozenset(map(comparison_key, medicines))
    return [
        family
        for family in families().values()
        if keys & family.members and mentions(text, _names_of(family))
    ]


def _names_of(family: Family) -> frozenset[Key]:
    """The family's name, and its singular, because ``comparison_key`` keeps the plural of a short
    name: 'SSRIs', 'SSRI'.
    """
    return frozenset(map(comparison_key, (family.name, singular(family.name))))


@cache
def cautions() -> Sequence[Caution]:
    """The cautions in the order of the table. Raises CorpusError if the table is damaged."""
    found = []
    for field, of, medicines, why, reference in _rows("cautions.tsv", 5):
        least, most = _age_range(of) if field == "age" else (0.0, 0.0)
        who = frozenset[Key]() if field == "age" else _with_family_members(of)
        pairs_with_families = _with_family_members(medicines)
        found.append(Caution(field, who, least, most, pairs_with_families, why, reference))
        if field == "medicine":  # two medicines interact whichever of them comes first
            found.append(Caution(field, pairs_with_families, least, most, who, why, reference))
    return found


@cache
def medicine_names() -> frozenset[Key]:
    """Every name of a medicine or family in the tables."""
    families_of_medicines = [family.members for family in families().values()]
    return frozenset().union(*families_of_medicines, *(one.medicines for one in cautions()))


@cache
def condition_names() -> frozenset[Key]:
    """Every name of a condition in the table of cautions, and the longer names of others.

    For ``longest_mentions``: without the longer ones, 'mouth ulcer' would mention an ulcer.
    """
    conditions = [one.of for one in cautions() if one.field == "condition"]
    return frozenset().union(
        *conditions, *(_keys(names) for names, _, _ in _rows("other_conditions.tsv", 3))
    )


def _with_family_members(names: str) -> frozenset[Key]:
    """The keys of names in a list with commas; a family is replaced by its members."""
    known = families()
    parts = [name.strip() for name in names.split(",")]
    return frozenset().union(
        *(known[name].members if name in known else _keys(name) for name in parts)
    )


def _keys(names: str) -> frozenset[Key]:
    return frozenset(comparison_key(name) for name in names.split(",") if name.strip())


def _age_range(of: str) -> tuple[float, float]:
    word, number = of.split()
    return (0, int(number) - 1) if word == "under" else (int(number) + 1, 200)


def _compared(word: str) -> str:
    # With an apostrophe or without: 'St Johns wort'.
    return name_word(re.sub("['’]", "", word.lower()))


def _rows(name: str, columns: int) -> Iterator[list[str]]:
    for number, line in lines(name):
        cells = line.split("\t")
        if len(cells) != columns or not all(cells):
            raise CorpusError(
                f"{name}, line {number}: not a row of the table. Install Anamnesis again."
            )
        yield cells
