"""What a person reads of a collection before approving it."""

from typing import NamedTuple

from anamnesis.corpus.record import Record
from anamnesis.language.text import sentences
from nodes.evidence.safety import unsafe
from retrievers.review import WaitingCollection


class WaitingRecord(NamedTuple):
    """A waiting record, its heading, and the safety checks that it fails."""

    record: Record
    heading: str
    failed: list[str]


def read(collection: WaitingCollection) -> list[WaitingRecord]:
    """The records of a waiting collection; those that fail a safety check come first."""
    found = []
    for record in collection.records:
        heading = record.question or record.title
        pieces = [record.text[span.start : span.end] for span in sentences(record.text)]
        shown = (heading, record.title, record.focus, record.source, record.url, *pieces)
        failed = [code for text in shown for code in unsafe(text, (heading,))]
        found.append(WaitingRecord(record, heading, list(dict.fromkeys(failed))))
    return sorted(found, key=lambda item: not item.failed)
