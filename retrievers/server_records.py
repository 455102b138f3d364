"""Which records a server that holds passages can hold."""

from collections.abc import Sequence

from anamnesis.corpus.record import Record
from anamnesis.errors import CorpusError
from anamnesis.language.text import well_formed


def check(
    record: Record, content: str, seen: str | None, old: Sequence[object] | None,
    collection: str,
) -> None:  # fmt: skip
    """Raise CorpusError for a record that cannot be written.

    ``seen`` is the content that a record of its id had in this run; ``old`` begins with the
    collection that has the record in the index.
    """
    if "\0" in record.id or well_formed(record.id) != record.id:
        raise CorpusError(f"Record {record.id!r} has an id that no database can store; change it.")
    if seen not in (None, content):
        raise CorpusError(
            f"Two records with different contents have the id {record.id!r}. "
            "Give each record its own id."
        )
    if old and old[0] != collection:
        raise CorpusError(
            f"Record {record.id!r} of collection {collection!r} is in collection {old[0]!r} of the "
            "index already. Give the records different ids, or take one of the collections out."
        )
