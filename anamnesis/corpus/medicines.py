"""Tables of medicines that ship with the program: the most that adults may take, and products.

``maximum_doses.tsv`` has, for each medicine, the names it goes by, the most by mouth in a day and
at one time in milligrams, the shortest time between two doses in hours where one is fixed, and the
public reference that says so. Where references differ, or a use allows more than the usual one, the
largest figure is used: the table serves to stop doses that no source allows, and is not advice.

``other_products.tsv`` has products whose names begin with the brand name of a medicine although
they hold something else, or something more: what they hold, and the label that says so.
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from anamnesis.corpus.shipped import damaged, lines, listed


class Maximum(NamedTuple):
    """What an adult may take of a medicine by mouth at most.

    ``daily`` and ``single`` are milligrams, ``interval`` hours; None where no figure is fixed.
    """

    medicine: str
    names: tuple[str, ...]
    daily: float
    single: float | None
    interval: float | None
    reference: str


@cache
def other_products() -> Mapping[str, tuple[str, ...]]:
    """What the products hold that are not the medicine whose brand they carry, by lower-case name.

    Raises:
        CorpusError: A line of the table is invalid: the installation is damaged.
    """
    found: dict[str, tuple[str, ...]] = {}
    for number, line in lines("other_products.tsv"):
        try:
            product, substances, _ = line.split("\t")
        except ValueError as error:
            raise damaged("other_products.tsv", number, error) from error
        found[product] = listed(substances)
    return found


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
