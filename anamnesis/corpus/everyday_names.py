"""Everyday names that the program knows, whether or not a record lists them.

``everyday_names.tsv`` has terms of medical pages with the names that people use for them: brands,
slang, and the words of other countries. Each row names a public reference by which it can be
checked; the rows were written from general knowledge, and no label was opened.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from anamnesis.corpus.shipped import damaged, lines, listed
from anamnesis.language.names import name_key

TABLE = "everyday_names.tsv"
OTHER = "other"
"""The category of a term that is no medicine."""


class Term(NamedTuple):
    """A term of medical pages in its spellings, its everyday names, and what it is: *medicine* or
    ``OTHER``."""

    spellings: tuple[str, ...]
    names: tuple[str, ...]
    category: str


@cache
def table() -> Sequence[Term]:
    """The rows of the table.

    Raises:
        CorpusError: A line of the table is invalid: the installation is damaged.
    """
    found = []
    for number, line in lines(TABLE):
        try:
            term, names, category, _ = line.split("\t")
        except ValueError as error:
            raise damaged(TABLE, number, error) from error
        found.append(Term(tuple(term.split("|")), listed(names), category))
    return found


@cache
def terms() -> Mapping[str, Term]:
    """The term for each everyday name, by the name's key. Raises CorpusError as ``table``."""
    return {name_key(name): term for term in table() for name in term.names}
