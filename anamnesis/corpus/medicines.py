"""Tables of medicines that ship with the program: maximum doses for adults, and products.

``maximum_doses.tsv`` has, for each medicine, its names, the maximum oral dose per day and per
single dose in milligrams, the shortest interval between doses in hours if there is one, and a
public reference. If references or uses differ, the largest figure is given: the table serves to
stop doses that no source allows, and is not advice.

``other_products.tsv`` has products whose names begin with the brand name of a medicine although
they contain another substance, or an additional one, with their contents and their label.
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from anamnesis.corpus.cautions import families_named
from anamnesis.corpus.shipped import damaged, lines, listed, names_by_first
from anamnesis.language.text import tokenize


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


def medicines_in(text: str) -> set[str]:
    """The medicines of ``maxima`` that a text names in one word."""
    return {maxima()[word].medicine for word in tokenize(text) if word in maxima()}


def product_contents(question: str) -> tuple[str, ...]:
    """What the first product of ``other_products`` in a question contains; empty if there is none.

    'Tylenol 3 times a day' names no product.
    """
    asked = f" {' '.join(tokenize(question))} "
    for product, contents in other_products().items():
        _, named, after = asked.partition(f" {product} ")
        if named and not (product[-1].isdigit() and after.startswith("times ")):
            return contents
    return ()


def other_medicines(question: str, heading: str, text: str) -> list[str]:
    """The medicines in a page's heading, if the page is about none of those in the question.

    It is about one if its heading or ``text`` names it or its family. Empty if the question or the
    heading names no medicine. Of 357 questions of ``asked`` that name a medicine, none has such a
    page as its answer; of 147 near misses that name one, 2 have such a page.
    """
    asked, of_heading = medicines_in(question), medicines_in(heading)
    apart = asked and asked.isdisjoint(of_heading | medicines_in(text))
    return sorted(of_heading) if apart and not families_named(asked, f"{heading} {text}") else []
