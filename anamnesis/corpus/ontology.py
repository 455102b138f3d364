"""Ontologies in OBO format: relations of terms as triplets, exact synonyms as aliases [K1]."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from anamnesis.corpus import building, files
from anamnesis.corpus.building import Malformed, Skip
from anamnesis.corpus.files import Row
from anamnesis.corpus.report import Report
from anamnesis.errors import CorpusError

SUFFIX = ".obo"

Link = tuple[str, str, str]
"""The names of a term, of its relation, and of the term to which it is related."""


class _Term(NamedTuple):
    where: str
    name: str
    synonyms: list[str]
    links: list[tuple[str, str]]  # ids of a relation and a term


def read_ontology(file: Path, report: Report) -> tuple[list[Row], list[tuple[str, list[str]]]]:
    """The links of an OBO file as rows of a ``Link``, and each term's name with its aliases.

    ``is_a`` and ``relationship`` are links; a relation has the name given by its typedef. Only
    exact synonyms are aliases: a broader, narrower or related one names something else. Obsolete or
    unreadable terms, terms with the id of an earlier one, and links to a term that the file does
    not name are skipped and listed.

    Raises:
        CorpusError: The package that reads OBO is not installed, or the file, or every term in it,
            cannot be read.
    """
    relations: dict[str, str] = {}
    known: set[str] = set()

    def make(row: Row) -> tuple[str, _Term] | None:
        frame = _frame(file, row.values)
        tags: dict[str, list[Any]] = {}
        for clause in frame or ():
            tags.setdefault(clause.raw_tag(), []).append(clause)
        names = [clause.name for clause in tags.get("name", [])]
        if row.values.startswith("[Typedef]"):
            relations[str(frame.id)] = names[0] if names else str(frame.id)
        if not row.values.startswith("[Term]"):
            return None
        if any(clause.obsolete for clause in tags.get("is_obsolete", [])):
            raise Skip("an obsolete term", str(frame.id))
        if len(names) != 1:
            raise Skip("a term that has not one name", str(frame.id))
        if str(frame.id) in known:
            raise Skip("a term whose id an earlier one has", str(frame.id))
        known.add(str(frame.id))
        synonyms = [clause.synonym for clause in tags.get("synonym", [])]
        links = [("is_a", str(clause.term)) for clause in tags.get("is_a", [])]
        links += [(str(item.typedef), str(item.term)) for item in tags.get("relationship", [])]
        exact = [item.desc for item in synonyms if item.scope == "EXACT"]
        return str(frame.id), _Term(row.where, names[0], exact, links)

    frames = (row._replace(values=row) for row in _frames(file))
    terms = dict(item for item in building.build(file, frames, make, report, named=False) if item)
    links = list(_links(file, terms, relations, report))
    return links, [(term.name, term.synonyms) for term in terms.values()]


def _links(
    file: Path, terms: dict[str, _Term], relations: dict[str, str], report: Report
) -> Iterator[Row]:
    for term in terms.values():
        for relation, other in term.links:
            if other in terms:
                link: Link = (term.name, relations.get(relation, relation), terms[other].name)
                yield Row(term.where, link)
            else:
                named = f"{relation} {other}"
                report.skip(file, term.where, "a link to a term that is not in the file", named)


def _frame(file: Path, text: str) -> Any:
    """The frame that fastobo parses from a text; None if it is neither a term nor a relation."""
    try:
        import fastobo
    except ImportError as error:
        raise CorpusError(
            f"{file}: the package that reads OBO is not installed; run: pip install fastobo"
        ) from error
    if not text.startswith(("[Term]", "[Typedef]")):
        return None
    try:
        return fastobo.loads(text)[0]
    except SyntaxError as wrong:
        at = (wrong.text or "").strip("␊ ")
        raise Malformed("not a frame of OBO", f"{wrong.msg} in {at!r}") from wrong


def _frames(file: Path) -> Iterator[Row]:
    """The text of each frame after the file's header, with the number of its first line."""
    start, held = 0, list[str]()
    for number, line in files.lines(file):
        if line.startswith("["):
            if start:
                yield Row(f"line {start}", "".join(held))
            start, held = number, []
        held.append(f"{line.rstrip()}\n")
    if start:
        yield Row(f"line {start}", "".join(held))
