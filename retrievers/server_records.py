"""Which records a server that holds passages can hold."""

from collections.abc import Sequence

from anamnesis.corpus.record import Record
from anamnesis.errors import CorpusError
from anamnesis.language.text import well_formed
from retrievers.build import check_unique


def check(
    record: Record, content: str, seen: str | None, old: Sequence[object] | None, collection: str
) -> None:
    """Raise CorpusError for a record that cannot be written; see ``check_unique``."""
    if "\0" in record.id or well_formed(record.id) != record.id:
        raise CorpusError(f"Record {record.id!r} has an id that no database can store; change it.")
    check_unique(record, content, seen, old, collection)
