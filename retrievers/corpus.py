"""The seam between what is decided and what searches: an engine that holds passages.

Whatever an engine is (files, a database, somebody else's retriever), it is asked by id and never
by row. It gives lists with raw scores; what follows from them is decided in ``retrievers.search``,
so that no engine changes it: fusion, which record a text is shown with, and what is guaranteed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, cast

from anamnesis.corpus.passage import Passage
from anamnesis.corpus.record import Record
from anamnesis.errors import SettingError
from anamnesis.lacking import require
from anamnesis.models.embedding import Embedder
from retrievers.build import Changes, Progress
from retrievers.dense import Vectors
from retrievers.facts import BROAD, FactSearch
from retrievers.manifest import Manifest
from retrievers.provenance import Approval, Provenance
from retrievers.spelling import Speller


class Found(NamedTuple):
    """A passage in one list.

    Args:
        id: The passage.
        score: The list's own, higher is better.
        text: Equal for equal texts, whichever engine has them: ``Passage.digest``.
    """

    id: str
    score: float
    text: str


List = Callable[[str, int], list[Found]]
"""A list of an engine's own: the query as it was asked, and how many passages, to the best ones."""


class Writer(Protocol):
    """Changes what an engine holds. Readers that are open go on with what they have."""

    def put(
        self,
        records: Iterable[Record],
        collection: str,
        progress: Progress | None = None,
        *,
        rebuild: bool = False,
        approval: Approval | None = None,
        accept: "Accept | None" = None,
    ) -> Changes:
        """Hold exactly ``records`` as the collection; see ``retrievers.build.build``."""

    def remove(self, collection: str) -> Changes:
        """Take a collection out; SettingError if there is none of that name."""

    def held(self) -> dict[str, str]:
        """What the records that are held say, by id: ``retrievers.build.content_of`` of each."""


class Corpus(Protocol):
    """An engine that holds passages and finds them. Safe to use from several threads.

    Lists are best first; of equal scores the order is the engine's, and always the same one. A
    passage with a sparse score that is not above zero is in no list.
    """

    def __len__(self) -> int:
        """The number of passages, facts among them; 0 where it is not known."""

    @property
    def manifest(self) -> Manifest:
        """What is held, and with which embedder and tokenizer it was made."""

    @property
    def embedder(self) -> Embedder:
        """What embeds the queries."""

    @property
    def speller(self) -> Speller:
        """What repairs words that the passages do not have."""

    @property
    def further(self) -> Mapping[str, List]:
        """Lists beside the usual ones, by name: each is one more in the fusion."""

    def sparse(self, words: str, k: int) -> list[Found]:
        """The best ``k`` passages for the words, facts left out (R1)."""

    def dense(self, vector: Vectors, k: int) -> list[Found]:
        """The best ``k`` passages by the inner product with a vector (dimensions,) (R2)."""

    def facts(
        self,
        question: str,
        options: Sequence[str],
        k: int,
        how: FactSearch = "names",
        broad: int = BROAD,
    ) -> list[Found]:
        """The best ``k`` facts; see ``retrievers.facts.best`` (K2, K3)."""

    def find(self, ids: Sequence[str]) -> dict[str, Passage]:
        """Those of the passages that are held, by id."""

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The passages in the order of ``ids``; SettingError if one is not held."""

    def provenance(self, record_ids: Sequence[str]) -> dict[str, Provenance]:
        """Where records came from, by id; those of which nothing is known are left out."""

    def idf(self, terms: Sequence[str]) -> list[float]:
        """How rare each lower-case word is in the passages: its idf in BM25, never below 0."""

    def words(self, beginning: str) -> list[str]:
        """The lower-case words of the passages that begin so, sorted."""

    def naming(self, *kinds: Iterable[str], most: int = 20_000) -> Iterator[Passage]:
        """All passages that have a word of each of the ``kinds`` of lower-case words.

        No search that ranks. Of more than ``most`` so many are given, spread evenly.
        """

    def writer(self) -> Writer:
        """What changes it; SettingError where it cannot be changed from here."""


def all_of(ids: Sequence[str], found: Mapping[str, Passage]) -> list[Passage]:
    """The passages in the order of ``ids``. Raises SettingError if one was not found."""
    missing = [key for key in ids if key not in found]
    if missing:
        raise SettingError(
            f"The index has no passage {missing[0]!r}. It may have been made anew since that "
            "passage was found; ask again."
        )
    return [found[key] for key in ids]


def by_library(corpus: Corpus, words: str, k: int) -> list[Found]:
    """The best ``k`` passages for the words by rank_bm25's own class (R1).

    Raises SettingError if the engine has no such list: only an index in files does.
    """
    search: List | None = getattr(corpus, "sparse_by_library", None)
    if search is None:
        raise SettingError(
            f"{type(corpus).__name__} cannot be searched by rank-bm25, which needs an index in "
            'files; leave retrieval.bm25 at "matrix", which gives the same scores'
        )
    return search(words, k)


Accept = Callable[[Corpus], None]
"""Sees the next generation before readers do; what it raises leaves the present one."""

METHODS = (
    "manifest", "embedder", "speller", "further", "sparse", "dense", "facts", "find", "passages",
    "provenance", "idf", "words", "naming", "writer",
)  # fmt: skip
"""What a ``Corpus`` must have."""


def checked(given: object, part: str = "index") -> Corpus:
    """What was given, if it is a corpus. Raises SettingError, which names what it lacks."""
    require(part, given, METHODS, "give what retrievers.index.open_index opens, or another Corpus")
    return cast(Corpus, given)
