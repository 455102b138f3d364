"""Facts of a medical knowledge base: triplets, written as sentences [K1].

A table has one triplet per line, separated by tabs: head, relation, tail. Its first line may name
its columns (head or subject, relation or predicate, tail or object, and source), in any order.
Cells are not changed, and may contain quotation marks. For ontologies see
``anamnesis.corpus.ontology``.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from anamnesis.corpus import building, files
from anamnesis.corpus.building import Malformed, Skip
from anamnesis.corpus.files import Row
from anamnesis.corpus.ontology import SUFFIX, read_ontology
from anamnesis.corpus.record import Record
from anamnesis.corpus.report import Report
from anamnesis.corpus.wording import SYMMETRIC, normal, sentence
from anamnesis.errors import CorpusError, SettingError
from anamnesis.language.text import sentences

SUFFIXES = (".tsv", ".txt", SUFFIX)

_COLUMNS: Mapping[str, str] = {
    "head": "head", "subject": "head", "relation": "relation", "predicate": "relation",
    "tail": "tail", "object": "tail", "source": "source",
}  # fmt: skip
_ORDER = ("head", "relation", "tail")


class Fact(NamedTuple):
    """A triplet, with the names of the knowledge bases that have it."""

    head: str
    relation: str
    tail: str
    sources: tuple[str, ...]


def read_facts(
    paths: Iterable[Path | str], aliases: Path | str | None = None, report: Report | None = None
) -> Iterator[Record]:
    """The facts in tables, ontologies or folders, each once, as records of the kind ``fact``.

    A fact's ``text`` is its sentence, its ``title`` names both entities with their aliases, and its
    ``source`` names the knowledge bases that have it: the column ``source``, or else the file's
    name. Its metadata have ``head``, ``relation``, ``tail``, ``sources`` and ``names``: for head
    and tail the name, followed by the aliases. For a symmetric relation, both orders are the same
    fact.

    Args:
        paths: Files, or folders whose ``.tsv``, ``.txt`` and ``.obo`` files are read; compressed
            ones too.
        aliases: A file of the same form with two columns: an alias, and the name in the triplets
            for which it stands.
        report: Filled while reading. A repeated triplet is merged and counted; a line that is not a
            triplet is skipped and listed.

    Raises:
        SettingError: No path is given.
        CorpusError: A path is missing, or no line of a file is valid.
    """
    given = [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]
    if not given:
        raise SettingError("Facts are read from files. Give at least one file or folder.")
    report = Report() if report is None else report
    known = read_aliases(Path(aliases), report) if aliases is not None else {}
    facts: dict[tuple[str, str, str], Fact] = {}
    # If several files have a fact, all are named, and there is no checksum.
    found = [file for path in given for file in files.find(path.expanduser(), SUFFIXES)]
    origin = ", ".join(file.name for file in found)
    checksum = files.sha256(found[0]) if len(found) == 1 else ""
    for file in found:
        for where, fact in _facts(file, report, known):
            identity = _identity(fact)
            same = facts.get(identity)
            facts[identity] = fact
            if same is not None:
                sources = dict.fromkeys([*same.sources, *fact.sources])
                facts[identity] = same._replace(sources=tuple(sources))
                report.skip(file, where, "repeat of a fact, merged")
    report.read += len(facts)
    return (replace(record(fact, known), origin=origin, sha256=checksum) for fact in facts.values())


def read_aliases(file: Path, report: Report) -> dict[str, list[str]]:
    """The aliases of each name, in the order of the file, by the name in lower case.

    Raises:
        CorpusError: The file is missing, or none of its lines has an alias and a name.
    """
    if not file.is_file():
        raise CorpusError(f"{file}: no such file. Check the path of the aliases.")

    def make(cells: list[str]) -> tuple[str, str]:
        if len(cells) != 2:
            raise Malformed("not an alias and a name", f"{len(cells)} columns")
        alias, name = cells
        if not alias or not name:
            raise Skip("an alias or its name is empty")
        if normal(alias) == normal(name):
            raise Skip("an alias that is the name itself", alias)
        return alias, name

    rows = _rows(file)
    first = next(rows, None)
    heading = first is not None and [normal(item) for item in first.values] == ["alias", "name"]
    found: dict[str, list[str]] = {}
    kept = rows if heading or first is None else chain([first], rows)
    for alias, name in building.build(file, kept, make, report, named=False):
        _add(found, name, [alias])
    return found


def record(fact: Fact, aliases: Mapping[str, Sequence[str]]) -> Record:
    """The fact as a record; ``aliases`` by name in lower case."""
    names = [[name, *aliases.get(normal(name), ())] for name in (fact.head, fact.tail)]
    return Record(
        id=building.content_id("fact", *_identity(fact), *fact.sources),
        title=" · ".join(f"{name} ({', '.join(also)})" if also else name for name, *also in names),
        text=sentence(fact.head, fact.relation, fact.tail),
        source=", ".join(fact.sources),
        focus=fact.head,
        kind="fact",
        metadata={
            "head": fact.head,
            "relation": fact.relation,
            "tail": fact.tail,
            "names": names,
            "sources": list(fact.sources),
        },
    )


def _facts(file: Path, report: Report, aliases: dict[str, list[str]]) -> Iterator[tuple[str, Fact]]:
    """The file's facts with their places; aliases in an ontology are added to ``aliases``."""
    rows: Iterable[Row] = _rows(file)
    order, source = list(_ORDER), files.plain_stem(file)
    if files.plain_suffix(file) == SUFFIX:
        rows, synonyms = read_ontology(file, report)
        for name, also in synonyms:
            _add(aliases, name, also)
    else:
        first = next(iter(rows), None)
        columns = [_COLUMNS.get(normal(item), "") for item in first.values] if first else []
        if set(_ORDER) <= set(columns):
            order = columns
        elif first is not None:
            rows = chain([first], rows)

    def make(row: Row) -> tuple[str, Fact]:
        if len(row.values) != len(order):
            problem = f"{len(row.values)} columns where {len(order)} are due"
            raise Malformed("not a triplet", problem)
        values = dict(zip(order, row.values, strict=True))
        head, relation, tail = (values[name] for name in _ORDER)
        if not (head and relation and tail):
            raise Skip("a triplet with an empty column", " | ".join(row.values))
        if normal(head) == normal(tail):
            raise Skip("a triplet of a name with itself", head)
        if len(sentences(sentence(head, relation, tail))) != 1:
            raise Skip("a triplet that does not make one sentence", " | ".join(row.values))
        return row.where, Fact(head, relation, tail, (values.get("source") or source,))

    rows = (row._replace(values=row) for row in rows)
    return building.build(file, rows, make, report, named=False)


def _add(aliases: dict[str, list[str]], name: str, also: Iterable[str]) -> None:
    """Add aliases to those of a name, each once."""
    found = aliases.setdefault(normal(name), [])
    found += [
        item for item in dict.fromkeys(also) if item not in found and normal(item) != normal(name)
    ]


def _rows(file: Path) -> Iterator[Row]:
    """The cells of each line that is not blank."""
    for number, line in files.lines(file):
        if line.strip():
            yield Row(f"line {number}", [" ".join(cell.split()) for cell in line.split("\t")])


def _identity(fact: Fact) -> tuple[str, str, str]:
    head, relation, tail = normal(fact.head), normal(fact.relation), normal(fact.tail)
    if relation in SYMMETRIC:
        head, tail = sorted((head, tail))
    return head, relation, tail
