"""Names in a question that the records of an index list as other names of their subject.

A record may name aliases of its focus: the brands of a medicine, everyday words for an illness. Its
passages are found under these names too. The question is then searched for, and read, with the
record's own name, because neither the reader nor the vectors know that Nurofen is ibuprofen. An
alias in a fact is used if the documents contain another name for the same thing, but not this
alias.
"""

import dataclasses
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

# Pydantic, which makes the server's schemas, takes no other before Python 3.12.
from typing_extensions import TypedDict

from anamnesis.corpus.medicines import maxima, other_products
from anamnesis.corpus.passage import ALIASES, Passage
from anamnesis.language.names import longest_names, name_key
from anamnesis.language.text import tokenize
from anamnesis.language.words import STOP_WORDS
from retrievers.corpus import Corpus
from retrievers.facts import FactQuery
from retrievers.names import keys
from retrievers.terms import everyday_names

DEPTH = 30
"""Maximum passages, and facts, that are searched for aliases; those with rare words come first."""
WORDS = 32
"""Maximum words of a long message that are searched for aliases: the rarest ones."""
_WORD = re.compile(r"\w+")


class Renamed(TypedDict):
    """A name in the question, the name that replaces it, and the record that lists it.

    ``category`` is that of the record in its metadata, such as *medicine*, or ''.
    """

    written: str
    searched: str
    title: str
    source: str
    category: str


Find = Callable[[Sequence[str]], Mapping[str, Passage]]
"""Maps ids to their passages."""


def with_aliases(question: str, corpus: Corpus, find: Find | None = None) -> list[Passage]:
    """The passages found for the question's words whose records list aliases, best first.

    A name in the title of a passage without aliases is left out if it is the whole title, or if the
    question has another word of the title, because the documents then use it as a name of its own:
    *urticaria* in a question on *cold urticaria*, although another record lists it as an alias of
    hives. Last come the ``everyday_names`` that no record lists. ``find`` gives the corpus's
    passages by id, some of which may have been fetched before.
    """
    words = list(dict.fromkeys(item.lower() for item in _WORD.findall(question) if _says(item)))
    rarity = dict(zip(words, corpus.idf(words), strict=True))
    rare = sorted(words, key=lambda word: -rarity[word])[:WORDS]
    ids = [item.id for item in corpus.sparse(" ".join(rare), DEPTH)]
    found = dict((find or corpus.find)(ids))
    # In a small index sparse search gives no score to a word that half of the passages have.
    common = [word for word in words if not rarity[word]]
    if common:
        found |= {item.id: item for item in corpus.containing(common, most=DEPTH)}
    titles = {name_key(item.title or item.question) for item in found.values() if not item.aliases}
    asked = set(name_key(question).split())
    listing = [_but_for(item, titles, asked) for item in found.values() if item.aliases]
    if corpus.manifest.facts:
        near = corpus.facts(FactQuery(question), DEPTH)
        facts = (find or corpus.find)([item.id for item in near])
        listing += [page for item in facts.values() for page in _of_fact(item, question, corpus)]
    known = {name_key(name) for item in listing for name in (item.focus, *item.aliases)}
    return listing + [
        item
        for item in everyday_names(question, corpus)
        if item.id not in known and not _is_own_name(item.id, titles, asked)
    ]


def _but_for(passage: Passage, titles: Collection[str], asked: set[str]) -> Passage:
    """The passage without the aliases that are names of their own in one of the titles."""
    kept = [item for item in passage.aliases if not _is_own_name(name_key(item), titles, asked)]
    return dataclasses.replace(passage, metadata={**passage.metadata, ALIASES: kept})


def _is_own_name(name: str, titles: Collection[str], asked: set[str]) -> bool:
    """Whether a title is this name, or has it and another word of the question."""
    for title in titles:
        if f" {name} " in f" {title} ":
            others = set(title.split()) - set(name.split()) - STOP_WORDS
            if not others or others & asked:
                return True
    return False


def _of_fact(fact: Passage, question: str, corpus: Corpus) -> Iterator[Passage]:
    """The fact as a passage on each of its entities that has another name in the documents.

    This name is the focus; the aliases are those in the question.
    """
    for names in fact.names:
        forms = dict.fromkeys(form for name in names for form in keys(name))
        written = [question[start:stop] for start, stop, _ in _places(question, forms)]
        missing = [item for item in written if not _has(corpus, item)]
        used = next((name for name in names if _has(corpus, name)), None) if missing else None
        missing = [item for item in missing if used and not _another(item, used)]
        if used and missing:
            yield dataclasses.replace(fact, focus=used, metadata={ALIASES: missing})


def _another(written: str, name: str) -> bool:
    """Whether the written word and the name are different medicines in the table of doses.

    Some lists of names treat different medicines as one, such as prednisone and prednisolone.
    """
    maximum = maxima().get(written.lower())
    return maximum is not None and maxima().get(name.lower()) is not maximum


def _has(corpus: Corpus, name: str) -> bool:
    """Whether a document has all words of a name."""
    words = tokenize(name)
    return bool(words) and any(True for _ in corpus.containing(*([item] for item in words), most=1))


def _says(word: str) -> bool:
    """Whether a word may be a name: not a function word, unless it is written as initials."""
    return word.lower() not in STOP_WORDS or (len(word) > 1 and word.isupper())


def rename(question: str, passages: Sequence[Passage]) -> tuple[str, list[Renamed]]:
    """The question with the records' own names in place of their aliases, and the replaced names.

    If a name contains another name, only the longer one counts. A name stays unchanged if passages
    list it for several things, if it is the focus of one of them, if it begins the name of a
    different product (``anamnesis.corpus.medicines``), or if the question also contains the
    record's own name. Initials count only in the form of the record.
    """
    listed = _listed(passages)
    if not listed:
        return question, []
    asked = f" {name_key(question)} "
    pieces: list[str] = []
    found: dict[str, Renamed] = {}
    end = 0
    for start, stop, name in _places(question, listed):
        written = question[start:stop]
        owners = [one for one in listed[name] if _written(question, written, name, one)]
        said = [one for one in owners if f" {name_key(one.focus)} " in asked]
        passage = _passage_for_all([*said, *owners])
        if passage is None:
            continue
        about: Renamed = {
            "written": written, "searched": passage.focus, "title": passage.title,
            "source": passage.source,
            "category": str(passage.metadata.get("category") or ""),
        }  # fmt: skip
        found.setdefault(written.casefold(), about)
        if not said:
            pieces += [question[end:start], passage.focus]
            end = stop
    return "".join([*pieces, question[end:]]), list(found.values())


def _listed(passages: Sequence[Passage]) -> Mapping[str, Sequence[Passage]]:
    """The passages that list a name, by its key; none for products that are something else."""
    found: dict[str, list[Passage]] = {}
    for item in passages:
        for alias in item.aliases:
            if any(map(_says, _WORD.findall(alias))):
                found.setdefault(name_key(alias), []).append(item)
    if not found:
        return {}
    own_names = {name_key(item.focus) for item in passages}
    single = {name: by for name, by in found.items() if name not in own_names}
    return single | {name_key(product): [] for product in other_products()}


def _places(question: str, names: Mapping[str, object]) -> Iterator[tuple[int, int, str]]:
    """The positions of names in the question: the first character, the one after the last, the
    name's key.
    """
    words = list(_WORD.finditer(question))
    most = max((name.count(" ") + 1 for name in names), default=0)
    for first, after, name in longest_names([name_key(item[0]) for item in words], names, most):
        yield words[first].start(), words[after - 1].end(), name


def _written(question: str, written: str, name: str, passage: Passage) -> bool:
    """Whether the passage lists the name in this form; initials such as ALL must be in capitals."""
    forms = [alias for alias in passage.aliases if name_key(alias) == name]
    if any(not alias.isupper() for alias in forms):
        return True
    # In a question that is all in capitals, capitals mean nothing.
    return not question.isupper() and any(written in (alias, f"{alias}s") for alias in forms)


def _passage_for_all(owners: Sequence[Passage]) -> Passage | None:
    """The best passage, if it has or lists the focus of every other passage."""
    if not owners:
        return None
    best = owners[0]
    names = {name_key(best.focus), *map(name_key, best.aliases)}
    return best if all(name_key(item.focus) in names for item in owners) else None
