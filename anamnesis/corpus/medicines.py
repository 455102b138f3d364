"""Tables of medicines that ship with the program: maximum doses for adults, names, and products.

``maximum_doses.tsv`` has, for each medicine, its names, the maximum oral dose per day and per
single dose in milligrams, the shortest interval between doses in hours if there is one, and a
public reference. If references or uses differ, the largest figure is given: the table serves to
stop doses that no source allows, and is not advice.

``medicine_names.tsv`` has the names of further medicines: generic names and brands. It has no
references, because it only serves to recognise a page on a different medicine.

``other_products.tsv`` has products whose names begin with the brand name of a medicine although
they contain another substance, or an additional one, with their contents and their label.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from anamnesis.corpus.cautions import Key, comparison_key, families_named, mentions
from anamnesis.corpus.everyday_names import table as everyday_table
from anamnesis.corpus.shipped import damaged, lines, listed, names_by_first
from anamnesis.language.lexicon import any_of
from anamnesis.language.text import sentence_texts, tokenize

_COUNTED = re.compile(rf"(?:(?:{any_of('period', 'dosage_form')})s?|times|hrs|or|to|a)\b")
"""What is counted by a number after the name of a medicine."""


class Maximum(NamedTuple):
    """The maximum that an adult may take of a medicine by mouth.

    ``daily`` and ``single`` are in milligrams, ``interval`` in hours; None if there is no limit.
    """

    medicine: str
    names: tuple[str, ...]
    daily: float
    single: float | None
    interval: float | None
    reference: str


@cache
def other_products() -> Mapping[str, tuple[str, ...]]:
    """What each product of ``other_products.tsv`` contains, by its name in lower case.

    Raises:
        CorpusError: A line of the table is invalid: the installation is damaged.
    """
    return names_by_first("other_products.tsv")


@cache
def maxima() -> Mapping[str, Maximum]:
    """The table by name in lower case, with an entry for each name of a medicine.

    Raises:
        CorpusError: A line of the table is invalid: the installation is damaged.
    """
    found: dict[str, Maximum] = {}
    for number, line in lines("maximum_doses.tsv"):
        try:
            medicine, others, daily, single, interval, reference = line.split("\t")
            names = (medicine, *listed(others))
            one = Maximum(
                medicine,
                names,
                float(daily),
                float(single) if single else None,
                float(interval) if interval else None,
                reference,
            )
        except ValueError as error:
            raise damaged("maximum_doses.tsv", number, error) from error
        found |= dict.fromkeys(names, one)
    return found


@cache
def medicines_by_name() -> Mapping[str, str]:
    """The medicine by each of its names in lower case, from both tables of medicines.

    Raises:
        CorpusError: A line of a table is invalid: the installation is damaged.
    """
    found = {name: item.medicine for name, item in maxima().items()}
    for number, line in lines("medicine_names.tsv"):
        try:
            medicine, others = line.split("\t")
        except ValueError as error:
            raise damaged("medicine_names.tsv", number, error) from error
        found |= dict.fromkeys([medicine, *listed(others)], medicine)
    return found


def medicines_in(text: str) -> set[str]:
    """The medicines of ``medicines_by_name`` that a text names in one word."""
    names = medicines_by_name()
    return {names[word] for word in tokenize(text) if word in names}


@cache
def combinations() -> Mapping[str, tuple[str, ...]]:
    """The substances of each term of the everyday names that lists several, by its spelling.

    'Paracetamol and codeine', by which 'Panadeine' is replaced, but not 'antifungal and steroid
    cream'. Raises CorpusError if a table is damaged.
    """
    known = {*medicines_by_name(), "caffeine"}
    spellings = (name for row in everyday_table() for name in row.spellings)
    parts = {name: tuple(re.split(r", | and ", name)) for name in spellings}
    return {name: found for name, found in parts.items() if len(found) > 1 and known >= {*found}}


def products_in(question: str, *, combined: bool = False) -> dict[str, tuple[str, ...]]:
    """What each product of ``other_products`` in a question contains, by its name in lower case.

    With ``combined``, also of ``combinations``. Of names within each other only the longest counts.
    A name does not reach beyond a sentence ('I took Tylenol. Cold hands'), and a number that counts
    something is not part of it ('Tylenol 3 times a day').
    """
    found: dict[str, tuple[str, ...]] = {}
    known = {**(combinations() if combined else {}), **other_products()}
    for sentence in sentence_texts(question):
        words = f" {' '.join(tokenize(sentence))} "
        for product in sorted(known, key=len, reverse=True):
            for after in words.split(_spaced(product))[1:]:
                counted = product[-1].isdigit() and _COUNTED.match(after)
                if not counted and not any(product in longer for longer in found):
                    found[product] = known[product]
    return found


@cache
def _spaced(name: str) -> str:
    """The words of a name between spaces."""
    return f" {' '.join(tokenize(name))} "


def is_mentioned(substance: str, text: str) -> bool:
    """Whether a text mentions a substance, by one of its names or by its family.

    The form of a product ('modified-release paracetamol') does not count.
    """
    name = substance.removeprefix("modified-release ")
    return bool(mentions(text, _names_of(name)) or families_named([name], text))


@cache
def _names_of(substance: str) -> frozenset[Key]:
    medicine = medicines_by_name().get(substance)
    names = {name for name, item in medicines_by_name().items() if item == medicine and medicine}
    for row in everyday_table():
        if substance in row.spellings:
            names |= {*row.spellings}
    return frozenset(map(comparison_key, {substance, *names}))


def other_medicines(question: str, heading: str, text: str) -> list[str]:
    """The medicines in a page's heading, if the page is about none of those in the question.

    It is about one if its heading or ``text`` names it or its family. Empty if the question or the
    heading names no medicine. Of 623 questions that the reader was trained or measured on and
    that name a medicine, none has such a page as its answer; of 617 near misses, 4 have such a
    page.
    """
    asked, of_heading = medicines_in(question), medicines_in(heading)
    apart = asked and asked.isdisjoint(of_heading | medicines_in(text))
    return sorted(of_heading) if apart and not families_named(asked, f"{heading} {text}") else []
