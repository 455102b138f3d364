"""The passages that a run has fetched: every step needs them, and an engine is asked once.

They are kept beside the run and not in its state, so that no checkpoint holds a copy of them.
"""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from langgraph.runtime import Runtime

from anamnesis.corpus.passage import Passage
from nodes.context import Context
from retrievers.corpus import Corpus
from retrievers.filter import Filter

_MOST = 64
"""Runs whose passages are kept at once; those of the run that was idle longest go first."""


class Fetched:
    """The passages of one run, by the corpus, the part of it that may be read, and id."""

    def __init__(self) -> None:
        # The corpus is held, so that no other one gets its place in memory.
        self._kept: dict[tuple[int, str], tuple[Corpus, dict[str, Passage]]] = {}

    def find(
        self, ids: Sequence[str], whole: Corpus, limits: Filter | None, seen: Corpus
    ) -> dict[str, Passage]:
        """Those of the passages that are held, by id.

        ``seen`` is what of the ``whole`` corpus passes the ``limits``; it is asked only for
        passages that no step has fetched. A corpus is one generation, in which nothing changes.
        """
        _, kept = self._kept.setdefault((id(whole), repr(limits)), (whole, {}))
        if missing := [key for key in dict.fromkeys(ids) if key not in kept]:
            kept |= seen.find(missing)
        return {key: kept[key] for key in ids if key in kept}


_runs: OrderedDict[object, Fetched] = OrderedDict()
_lock = Lock()


def fetched_of(runtime: Runtime[Context]) -> Fetched:
    """What the run of a step has fetched; nothing yet where the run cannot be told from others."""
    run = runtime.control
    if run is None:
        return Fetched()
    with _lock:
        own = _runs.pop(run) if run in _runs else Fetched()
        _runs[run] = own  # at the end: it was idle for the shortest time
        while len(_runs) > _MOST:
            _runs.popitem(last=False)
        return own


def forget(runtime: Runtime[Context]) -> None:
    """Let go of what a run that has ended fetched."""
    with _lock:
        _runs.pop(runtime.control, None)
