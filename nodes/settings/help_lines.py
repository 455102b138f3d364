"""Whom to call, by country: emergency number, crisis line, poison centre.

The numbers are in ``help_lines.tsv``, one country (ISO 3166-1) per line, as published by the
services. Without a country the answer names those of several countries.
"""

import csv
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class HelpLines(NamedTuple):
    """Numbers to call, each in the words shown to the user."""

    emergency: str
    crisis: str
    poison: str


_SEVERAL = HelpLines(
    "your local emergency number (112 in Europe and many other countries, 999 in the UK, 911 in "
    "the US and Canada)",
    "988 in the US and Canada, 116 123 in the UK and Ireland, or your country's line at "
    "findahelpline.com",
    "a poison centre (1-800-222-1222 in the US, 111 in the UK, 13 11 26 in Australia) or your "
    "local emergency number",
)


@cache
def countries() -> dict[str, HelpLines]:
    """The numbers by country code."""
    text = (files("nodes.settings") / "help_lines.tsv").read_text("utf-8")
    return {
        row["country"]: HelpLines(row["emergency"], row["crisis"], row["poison"])
        for row in csv.DictReader(text.splitlines(), delimiter="\t")
    }


def help_lines(country: str | None) -> HelpLines:
    """The numbers of a country; without one, those of several."""
    return countries()[country] if country else _SEVERAL
