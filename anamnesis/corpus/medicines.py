"""The most that adults may take of common medicines: a table that ships with the program.

``maximum_doses.tsv`` has, for each medicine, the names it goes by, the most by mouth in a day and
at one time in milligrams, the shortest time between two doses in hours where one is fixed, and the
public reference that says so. Where references differ, or a use allows more than the usual one, the
largest figure stands: the table is there to stop what no source allows, and it is no advice.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from anamnesis.errors import CorpusError


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
def maxima() -> Mapping[str, Maximum]:
    """The table by name in lower case; a medicine stands in it under each of its names.

    Raises:
        CorpusError: A line of the table is none: the installation is damaged.
    """
    text = files("anamnesis.corpus").joinpath("maximum_doses.tsv").read_text("utf-8")
    found: dict[str, Maximum] = {}
    for number, line in enumerate(text.splitlines()[1:], start=2):
        try:
            medicine, others, daily, single, interval, reference = line.split("\t")
            names = (medicine, *(name.strip() for name in others.split(",") if name.strip()))
            one = Maximum(
                medicine,
                names,
                float(daily),
                float(single) if single else None,
                float(interval) if interval else None,
                reference,
            )
        except ValueError as error:
            raise CorpusError(
                f"maximum_doses.tsv, line {number}: no row of the table ({error}). Install "
                "Anamnesis again."
            ) from error
        found |= dict.fromkeys(names, one)
    return found
