"""Tables that ship with the program: tab-separated lines below a header."""

from collections.abc import Iterator
from importlib.resources import files

from anamnesis.errors import CorpusError


def lines(table: str) -> Iterator[tuple[int, str]]:
    """The lines of a table of ``anamnesis.corpus``, with their numbers in the file."""
    text = files("anamnesis.corpus").joinpath(table).read_text("utf-8")
    return enumerate(text.splitlines()[1:], start=2)


def damaged(table: str, line: int, error: ValueError) -> CorpusError:
    """The error for an invalid line of the table: the installation is damaged."""
    return CorpusError(
        f"{table}, line {line}: no row of the table ({error}). Install Anamnesis again."
    )


def names_by_first(table: str) -> dict[str, tuple[str, ...]]:
    """The names in the second of a table's three columns, by the name in the first.

    Raises:
        CorpusError: A line of the table is invalid: the installation is damaged.
    """
    found: dict[str, tuple[str, ...]] = {}
    for number, line in lines(table):
        try:
            first, names, _ = line.split("\t")
        except ValueError as error:
            raise damaged(table, number, error) from error
        found[first] = listed(names)
    return found


def listed(text: str) -> tuple[str, ...]:
    """The names in a column, separated by commas."""
    return tuple(name for item in text.split(",") if (name := item.strip()))
