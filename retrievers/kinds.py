"""Collections of passages and collections of facts, which are stored and searched separately."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice

from anamnesis.corpus.record import Record
from anamnesis.errors import CorpusError
from retrievers.manifest import Manifest


def kinds(
    records: Iterable[Record], collection: str, old: Manifest | None
) -> tuple[Iterable[Record], dict[str, bool]]:
    """The records, and whether each collection has facts, according to its first record."""
    iterator = iter(records)
    first = list(islice(iterator, 1))
    facts = {name: item.facts for name, item in old.collections.items()} if old else {}
    facts[collection] = bool(first) and first[0].kind == "fact"
    return chain(first, iterator), facts


def of_one_kind(records: Iterable[Record], collection: str, facts: bool) -> Iterator[Record]:
    """The records; CorpusError at the first one that is not of the collection's kind."""
    for record in records:
        if (record.kind == "fact") != facts:
            raise CorpusError(
                f"Record {record.id!r} of collection {collection!r} is "
                f"{'not a' if facts else 'a'} fact, unlike the records before it. Facts are "
                f"searched separately: put them into a separate collection."
            )
        yield record
