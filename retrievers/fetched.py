"""The index of a run and the passages that it has fetched: an engine is asked once for each.

They are stored outside the state of the run, so that no checkpoint contains a copy of them.
"""

from collections.abc import Callable, Hashable, Sequence

from anamnesis.corpus.passage import Passage
from anamnesis.models.bounded_cache import BoundedCache
from retrievers.corpus import Corpus
from retrievers.filter import Filter

_MOST = 64
"""Maximum number of runs whose passages are stored; the longest idle run is dropped first."""


class Fetched:
    """The indexes of one run, and its passages by corpus, by its permitted part, and by id.

    It is dropped when the run or a step ends, so that an index may be kept.
    """

    def __init__(self) -> None:
        self._opened: dict[Hashable, Corpus] = {}
        # A reference to the corpus is stored, so that no other corpus can get the same ``id()``.
        self._kept: dict[tuple[int, str], tuple[Corpus, dict[str, Passage]]] = {}

    @property
    def is_empty(self) -> bool:
        """Whether nothing was opened, as in the first step of a run that is continued."""
        return not self._opened

    def opened(self, key: Hashable, open_index: Callable[[], Corpus]) -> Corpus:
        """The index of a key. It is opened once, so that all steps of a run see one generation."""
        if key not in self._opened:
            self._opened[key] = open_index()
        return self._opened[key]

    def find(
        self, ids: Sequence[str], whole: Corpus, limits: Filter | None, seen: Corpus
    ) -> dict[str, Passage]:
        """The passages that exist, by id.

        ``seen`` is the part of the ``whole`` corpus that the ``limits`` permit; only passages that
        no step has fetched are requested from it. A corpus is one generation of an index and never
        changes.
        """
        _, kept = self._kept.setdefault((id(whole), repr(limits)), (whole, {}))
        if missing := [key for key in dict.fromkeys(ids) if key not in kept]:
            kept |= seen.find(missing)
        return {key: kept[key] for key in ids if key in kept}


_runs = BoundedCache[Fetched](_MOST)


def fetched_of(run: Hashable) -> Fetched:
    """What a run has fetched; nothing if ``run``, which identifies it, is None: it is not known."""
    if run is None:
        return Fetched()
    [fetched] = _runs.get_or_make([run], lambda _: [Fetched()])
    return fetched


def drop_fetched(run: Hashable) -> None:
    """Free the passages of a run that has ended."""
    _runs.drop(run)
