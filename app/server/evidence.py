"""The passages behind an answer, as the server shows them."""

from itertools import count
from typing import Any

from anamnesis.corpus.passage import Passage
from anamnesis.corpus.record import SHOWN
from retrievers.corpus import Corpus

# What readers of the page look up; the rest serves the search.
_FIELDS = ("id", *SHOWN, "start", "end", "text")


def passages_of(index: Corpus, wanted: str) -> list[dict[str, Any]]:
    """A passage by its id, or all passages of a source by its id; none if the id is unknown."""
    found = index.find([wanted])
    if not found:
        for number in count():
            more = index.find([f"{wanted}#{number}"])
            if not more:
                break
            found |= more
    known = index.provenance(list({passage.record_id for passage in found.values()}))
    return [_row(item) | {"provenance": known.get(item.record_id)} for item in found.values()]


def _row(passage: Passage) -> dict[str, Any]:
    return {"record": passage.record_id} | {name: getattr(passage, name) for name in _FIELDS}
