"""How much a source weighs: its type and its date, as its record states them.

Evidence summaries rank above single studies, and guidelines above both (the 6S hierarchy: DiCenso,
Bayley and Haynes, Ann Intern Med 2009;151:JC3-2).
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

SourceType = Literal["guideline", "review", "leaflet", "page", "abstract", "case", "opinion"]
"""A guideline of a professional body; a systematic review; the official leaflet of a medicine; an
edited page for patients or doctors; the abstract of a study; a report of cases; an opinion, such as
a post in a forum."""
TYPES: tuple[SourceType, ...] = get_args(SourceType)
TYPE = "source_type"
"""The entry of a record's metadata that states the type."""

_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")
_OF_KIND = {"abstract": "abstract", "snippet": "abstract"}


def type_of(metadata: Mapping[str, object], kind: str = "") -> str | None:
    """The type in a record's metadata, otherwise the type that its kind implies, if any."""
    stated = metadata.get(TYPE)
    return stated if isinstance(stated, str) and stated in TYPES else _OF_KIND.get(kind)


def date_of(metadata: Mapping[str, object]) -> str | None:
    """A record's date, if it is given in ISO form, otherwise None."""
    found = _DATE.match(str(metadata.get("date")))
    return found[0] if found else None


def citation_rank(type_: str | None, date: str | None, order: Sequence[str]) -> tuple[int, int]:
    """The sort key of a source, lowest for the first to be cited: by type, then the newest first.

    ``order`` names types, the strongest first. All other types come after these, and sources
    without a date after those with one. A year counts as its first day.
    """
    place = order.index(type_) if type_ in order else len(order)
    digits = (date or "").replace("-", "").ljust(8, "0")
    return place, -int(digits)
