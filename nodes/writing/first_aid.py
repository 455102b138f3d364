"""What to do until help comes: the first-aid steps of the starter corpus."""

from collections.abc import Mapping
from functools import cache

from anamnesis.corpus.passage import FROM_RECORD, Passage
from anamnesis.corpus.starter import read_starter
from anamnesis.language.text import sentences
from anamnesis.models.first_aid_pages import page_probabilities
from nodes.checking.statements import quoted
from nodes.state import Statement

LEAST = 0.4
"""Minimum probability of a page whose steps are shown (`python -m benchmarks.first_aid`). Steps for
another emergency do harm, so they are shown only if the page very probably fits.
"""


@cache
def pages() -> Mapping[str, Passage]:
    """The starter corpus' pages on first aid, each as one passage, by the ids of their records."""
    return {
        item.id: Passage(
            id=f"{item.id}#0", record_id=item.id, start=0, end=len(item.text), text=item.text,
            **{name: getattr(item, name) for name in FROM_RECORD},
        )
        for item in read_starter()
        if item.metadata.get("category") == "first-aid"
    }  # fmt: skip


def steps(message: str) -> tuple[Passage, list[Statement]] | None:
    """The page that fits an emergency best, with its sentences; None if no page probably fits.

    Raises ModelError if the model that finds the page is missing or damaged.
    """
    chances = page_probabilities(message)
    best = max(pages(), key=lambda name: chances.get(name, 0.0))
    if chances.get(best, 0.0) < LEAST:
        return None
    page = pages()[best]
    return page, [
        quoted(page.text[start:end], page.id, start, end) for start, end in sentences(page.text)
    ]
