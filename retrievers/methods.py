"""The methods that ``search`` can use. To add one, add an entry to ``RETRIEVERS``.

Settings, commands and their help take the names from the entries. Nothing slow is imported here, so
that the command line starts quickly.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from anamnesis.errors import SettingError
from anamnesis.models.once import loaded_once

if TYPE_CHECKING:
    from retrievers.corpus import Corpus, Found
    from retrievers.dense import Vectors
    from retrievers.facts import FactQuery

BM25 = Literal["matrix", "rank-bm25"]


@dataclass(frozen=True)
class Request:
    """What a method searches for; see ``retrievers.search.search``.

    Attributes:
        corpus: What is searched.
        query: The question and its options, as text that can be encoded, and how facts are found.
        both_depth: If sparse and dense search are both wanted, the number of passages that each is
            asked for first, so that a server can return both lists in one request; otherwise 0.
    """

    corpus: "Corpus"
    query: "FactQuery"
    reduce_query: bool
    query_adapter: bool
    bm25: BM25
    both_depth: int

    @property
    def text(self) -> str:
        """The question and the options together; '' if they are blank."""
        text = " ".join([self.query.question, *self.query.options])
        return text if text.strip() else ""

    @loaded_once
    def content(self) -> str:
        """The content words of the text; '' if the query is not reduced."""
        from anamnesis.language.words import content_terms

        return " ".join(content_terms(self.text)) if self.reduce_query else ""

    @property
    def words(self) -> str:
        """The words of a sparse search."""
        return self.content or self.text

    @loaded_once
    def vector(self) -> "Vectors":
        """The vector (dimensions,) of a dense search."""
        from anamnesis.models.encoder import unit
        from anamnesis.models.query_tuning import tuned

        embedder = self.corpus.embedder
        vectors = embedder.embed_queries([item for item in (self.text, self.content) if item])
        moved = tuned(vectors[:1], embedder) if self.query_adapter else None
        vector: Vectors = vectors.mean(axis=0) if moved is None else moved[0]
        return unit(vector[None])[0] if embedder.normalized else vector

    @loaded_once
    def both(self) -> "tuple[list[Found], list[Found]] | None":
        """The first sparse and dense list, if a server returns both in one request."""
        search = getattr(self.corpus, "both", None)
        if search is None or not (self.both_depth and self.text and self.corpus.manifest.passages):
            return None
        found: tuple[list[Found], list[Found]] = search(self.words, self.vector, self.both_depth)
        return found


class Retriever(NamedTuple):
    """A method of retrieval.

    Args:
        about: What it finds, for help texts.
        search: Maps a request and a number to the best passages, best first.
        weight: Its default weight in the fusion of standardised scores.
        facts: Whether it finds facts, which are given to the generator in addition to the passages.
        keeps_place: Whether at least one passage of its list is always among the results [H3].
        title: Its name on the page; '' for its name in the table.
        explanation: How it orders passages, for the page; '' for ``about``.
    """

    about: str
    search: "Callable[[Request, int], list[Found]]"
    weight: float = 1.0
    facts: bool = False
    keeps_place: bool = False
    title: str = ""
    explanation: str = ""


def _sparse(request: Request, k: int) -> "list[Found]":
    if request.bm25 == "rank-bm25":
        return sparse_by_library(request.corpus, request.words, k)
    if k == request.both_depth and request.both:
        return request.both[0]
    return request.corpus.sparse(request.words, k)


def _dense(request: Request, k: int) -> "list[Found]":
    if not request.text or not request.corpus.manifest.passages:
        return []
    if k == request.both_depth and request.both:
        return request.both[1]
    return request.corpus.dense(request.vector, k)


def _facts(request: Request, k: int) -> "list[Found]":
    return request.corpus.facts(request.query, k)


SPARSE, DENSE, HYBRID, RERANKED, LIBRARY = "sparse", "dense", "hybrid", "reranked", "rank-bm25"

RETRIEVERS: dict[str, Retriever] = {
    SPARSE: Retriever(
        "passages with the question's words, by BM25 [R1]",
        _sparse,
        title="BM25",
        explanation="words, weighted by rarity",
    ),
    DENSE: Retriever(
        "passages near the question's vector [R2]",
        _dense,
        weight=3.0,  # on LiveQA-Med's messages, 2 to 6 give about the same quality
        keeps_place=True,
        explanation="similarity of meaning",
    ),
    "facts": Retriever("facts of a knowledge base, if the index has any [K7]", _facts, facts=True),
}
"""The methods by name. Where the same text is found by several, the first one's record counts."""

DEFAULT_METHODS: tuple[str, ...] = (SPARSE, DENSE)
"""The methods that are used by default."""


class FurtherMethod(NamedTuple):
    """What is measured and listed in addition: lists that are fused or computed otherwise.

    ``about``, ``title`` and ``explanation`` are as in ``Retriever``.
    """

    about: str
    title: str = ""
    explanation: str = ""


FURTHER: dict[str, FurtherMethod] = {
    HYBRID: FurtherMethod(
        "the sparse and the dense list, fused [R3]", "Hybrid", "BM25 and dense, fused"
    ),
    RERANKED: FurtherMethod(
        "these, re-ordered by a reranker [R4]",
        "Re-ranked",
        "the first passages of Hybrid, re-ordered by the reranker",
    ),
    LIBRARY: FurtherMethod("the sparse list, computed by the library of that name [R1]"),
}
"""The further methods by name; ``nodes.evidence.by_method`` makes their lists."""


def checked_method(name: str) -> str:
    """The name of a method, unchanged. Raises SettingError if no method has this name."""
    if name not in RETRIEVERS:
        raise SettingError(
            f"there is no search method {name!r}; use one of {', '.join(RETRIEVERS)}"
        )
    return name


def finds_facts(*names: str) -> bool:
    """Whether one of the methods finds facts."""
    return any(name in RETRIEVERS and RETRIEVERS[name].facts for name in names)


def guarantees_a_passage(*names: str) -> bool:
    """Whether one of the methods always has a passage among the results (``keeps_place``)."""
    return any(name in RETRIEVERS and RETRIEVERS[name].keeps_place for name in names)


def of_passages() -> list[str]:
    """The names of the methods that find passages."""
    return [name for name in RETRIEVERS if not finds_facts(name)]


def of_facts() -> list[str]:
    """The names of the methods that find facts."""
    return [name for name in RETRIEVERS if finds_facts(name)]


def title(name: str) -> str:
    """The name of a list on the page."""
    known = described(name)
    return (known.title if known else "") or name


def described(name: str) -> Retriever | FurtherMethod | None:
    """The entry of a method; None for a list that is no method, such as another program's."""
    return RETRIEVERS.get(name) or FURTHER.get(name)


def sparse_by_library(corpus: "Corpus", words: str, k: int) -> "list[Found]":
    """The best ``k`` passages for the words by rank_bm25's own class [R1].

    Raises SettingError if the engine has no such list; only an index folder has one.
    """
    search = getattr(corpus, "sparse_by_library", None)
    if search is None:
        raise SettingError(
            f"{type(corpus).__name__} cannot be searched by rank-bm25, which needs an index in "
            'files; leave retrieval.bm25 at "matrix", which gives the same scores'
        )
    found: list[Found] = search(words, k)
    return found
