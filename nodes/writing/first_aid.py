"""What to do until help comes: the first-aid steps of the starter corpus."""

from collections.abc import Mapping
from functools import cache

from anamnesis.corpus.passage import FROM_RECORD, Passage
from anamnesis.corpus.starter import read_starter
from anamnesis.language.text import sentences
from nodes.checking.statements import quoted
from nodes.state import Statement


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


def steps(name: str) -> tuple[Passage, list[Statement]] | None:
    """The page with the id ``name``, and its sentences; None if there is no such page."""
    if name not in pages():
        return None
    page = pages()[name]
    return page, [
        quoted(page.text[start:end], page.id, start, end) for start, end in sentences(page.text)
    ]
