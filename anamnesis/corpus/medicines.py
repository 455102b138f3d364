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


def product_in(question: str) -> str:
    """The first product of ``other_products`` in a question; empty if there is none.

    'Tylenol 3 times a day' names no product.
    """
    asked = f" {' '.join(tokenize(question))} "
    for product in other_products():
        _, named, after = asked.partition(f" {product} ")
        if named and not (product[-1].isdigit() and after.startswith("times ")):
            return product
    return ""


def product_contents(question: str) -> tuple[str, ...]:
    """What the product in a question (``product_in``) contains; empty if there is none."""
    return other_products().get(product_in(question), ())


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
