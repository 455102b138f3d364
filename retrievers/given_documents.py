"""The documents of another program's retriever or vector store: searched, and read by id.

Documents are identified by id and text, so that a changed text is another passage; without ids, by
their text and their access groups.

A store is asked for its documents by id, so that a changed or deleted one is not read any longer.
If that cannot be done, as with a retriever, a run reads the documents that it has found itself.
Others, such as those of an earlier turn, are kept in memory: up to ``KEPT`` documents for
``SECONDS``, even if they are deleted in the meantime. These have no metadata but ``_KEPT_LABELS``,
because the rest may be about the question of another user.
"""

import json
import logging
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, get_args

from langchain_core.documents import Document
from langchain_core.language_models import BaseLanguageModel

from anamnesis.attributes import missing_attributes, require
from anamnesis.awaiting import EitherWay
from anamnesis.corpus.passage import FROM_RECORD, LABELS, Passage
from anamnesis.corpus.record import JSON, Kind
from anamnesis.errors import RunError, SettingError
from anamnesis.language.text import digest, well_formed
from anamnesis.models.bounded_cache import BoundedCache
from anamnesis.models.wrapped import with_functions
from retrievers.filter import Filter, groups_of
from retrievers.retriever_scores import score_of, with_scores

RETRIEVER = "retriever"
"""The name of the list."""

KEPT = 10_000
"""Maximum documents kept by id: those of 100 concurrent runs."""

SECONDS = 600
"""How long they are kept."""

_KEPT_LABELS = (*LABELS, "kind")

SURE = 1_000
"""Documents that every store is expected to give at once. If it refuses more, these are used: the
limit of Pinecone, OpenSearch and others is between 1,000 and 16,384."""

MOST = 16_384
"""Maximum documents that a store is asked for: without a limit, a question of a user who may read
few documents would read the whole store."""

_KINDS: tuple[str, ...] = tuple(item for item in get_args(Kind) if item != "fact")
_SEARCHES = ("similarity_search", "similarity_search_with_score")
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class NativelyFiltered:
    """A retriever or a vector store that filters by itself; give it as ``retriever=…``.

    Args:
        given: A LangChain ``BaseRetriever`` or ``VectorStore``.
        search_kwargs: Maps the ``Filter`` of a step to the keyword arguments with which the store
            is searched, such as ``{"filter": …}``. It is called for each search under a filter. It
            may let more pass than the ``Filter``, which is applied to the results as well.
    """

    given: Any
    search_kwargs: Callable[[Filter], Mapping[str, Any]]

    def __post_init__(self) -> None:
        """Raises SettingError if ``search_kwargs`` is not a function."""
        remedy = "give a function from a Filter to keyword arguments"
        require("search_kwargs", self.search_kwargs, ("__call__",), remedy)


class GivenDocuments:
    """The documents of a retriever or a store. Safe to use from several threads.

    Attributes:
        name: The class of the retriever or store.
        is_store: Whether it is a vector store, which can be asked for any number of documents.
    """

    def __init__(self, given: Any) -> None:
        """``given`` may be ``NativelyFiltered``.

        Raises SettingError if it is neither a retriever nor a vector store.
        """
        native = given if isinstance(given, NativelyFiltered) else None
        given = given if native is None else native.given
        self.is_store = _searches(given)
        self.name = type(given).__name__
        self._call = partial(EitherWay().call, with_functions(given))
        self._search_kwargs = None if native is None else native.search_kwargs
        self._kept = BoundedCache[tuple[float, Passage]](KEPT)
        # Whether the store returns by id what its search has found; None: not known yet.
        self._readable_by_id: bool | None = None if self.is_store else False

    def search(
        self, query: str, k: int, limits: Filter | None = None
    ) -> list[tuple[Passage, float]]:
        """The best ``k`` documents that pass, with scores; those without text are left out.

        If few pass, a store is asked for a longer list, at most of ``MOST`` documents.
        """
        passes = None if limits is None else limits.passes
        more = self._native(limits)
        asked = k if passes is None else 2 * k
        while True:
            asked = min(asked, MOST) if self.is_store else asked
            scored = self._scored(query, asked, more)
            pages = [
                (passage_of(item), score) for item, score in scored if item.page_content.strip()
            ]
            best: dict[str, tuple[Passage, float]] = {}
            for page, score in pages:
                if passes is None or passes(page):
                    best.setdefault(page.id, (page, score))  # a store may have a document twice
            enough = passes is None or len(best) >= k
            if enough or not self.is_store or len(scored) < asked or asked == MOST:
                break
            asked = SURE if asked < SURE else MOST
        if len(best) < k and self.is_store and len(scored) >= MOST:
            _warn_of(MOST)
        self._keep({key: page for key, (page, _) in best.items()})
        return [*best.values()][:k]

    def find(self, ids: Sequence[str], found: Mapping[str, Passage]) -> dict[str, Passage]:
        """The documents that exist, by id; ``found`` are those of this run."""
        by_id = self._by_ids(ids) if self.is_store and ids else None
        if by_id:
            self._readable_by_id = True
        if by_id is not None and self._readable_by_id:
            return by_id
        since = time.monotonic() - SECONDS
        kept = {key: page for key, (at, page) in self._kept.get(ids).items() if at >= since}
        return kept | {key: found[key] for key in ids if key in found} | (by_id or {})

    def _keep(self, pages: Mapping[str, Passage]) -> None:
        now = time.monotonic()
        self._kept.put({key: (now, _with_labels(page)) for key, page in pages.items()})
        if pages and self._readable_by_id is None:
            by_id = self._by_ids([next(iter(pages))])
            self._readable_by_id = None if by_id is None else bool(by_id)

    def _native(self, limits: Filter | None) -> Mapping[str, Any]:
        """The keyword arguments by which the store filters."""
        if limits is None or self._search_kwargs is None:
            return {}
        more = self._search_kwargs(limits)
        if not isinstance(more, Mapping):
            raise SettingError(
                f"search_kwargs: the function returned {type(more).__name__}; return a dict of "
                "keyword arguments for the store's search"
            )
        return more

    def _scored(self, query: str, k: int, more: Mapping[str, Any]) -> list[tuple[Document, float]]:
        """The documents and their scores; of a store that refuses so many, the nearest ``SURE``."""
        if not self.is_store or k <= SURE:
            return self._found(query, k, more)
        try:
            return self._found(query, k, more)
        except RunError:
            # Many stores refuse a longer list.
            _warn_of(SURE)
            return self._found(query, SURE, more)

    def _found(self, query: str, k: int, more: Mapping[str, Any]) -> list[tuple[Document, float]]:
        what = self.name
        try:
            if not self.is_store:
                found = self._call("invoke", query, **more)
                if not isinstance(found, Iterable):
                    raise RunError(
                        f"retriever: {what} gave an object of {type(found).__name__}; give a "
                        "retriever whose invoke returns a list of LangChain's Documents"
                    )
                return with_scores([(item, score_of(item)) for item in found], what)
            try:
                scored = self._call("similarity_search_with_score", query, k=k, **more)
                return with_scores(scored, what)
            except NotImplementedError:
                found = [*self._call("similarity_search", query, k=k, **more)]
                return with_scores([(item, None) for item in found], what)
        except (RunError, SettingError):
            raise
        except NotImplementedError as error:
            raise RunError(
                f"retriever: {what} does not implement its method: _get_relevant_documents or "
                "_aget_relevant_documents; of a store, similarity_search or asimilarity_search"
            ) from error
        except Exception as error:
            # A provider's message may contain an address or a key.
            _log.warning("%s: %s failed", RETRIEVER, what, exc_info=True)
            raise RunError(
                f"retriever: {what} failed with {type(error).__name__}; details are in the log. "
                f"Make sure that the service it uses can be reached, and ask again"
            ) from error

    def _by_ids(self, ids: Sequence[str]) -> dict[str, Passage] | None:
        """The documents that a store has, by id; None if it cannot be asked for them."""
        records = list(dict.fromkeys(key.rpartition("#")[0] for key in ids))
        wanted = {*ids}
        try:
            pages = [passage_of(item) for item in self._call("get_by_ids", records)]
        except (NotImplementedError, AttributeError):  # not every store supports it
            return None
        except Exception:
            # A store may refuse an id that it did not make. A provider's message may contain an
            # address or a key.
            _log.warning("%s: get_by_ids of %s failed", RETRIEVER, self.name, exc_info=True)
            return None
        return {item.id: item for item in pages if item.id in wanted}


def _warn_of(most: int) -> None:
    _log.warning("%s: only the nearest %d documents are considered", RETRIEVER, most)


def passage_of(document: Document) -> Passage:
    """A document of another retriever as a passage; its id is ``id#`` and the beginning of the
    digest of its text.

    Title, question, source, url, focus and kind are those of its metadata, of which all stays.
    """
    text = well_formed(document.page_content)
    text_digest = digest(text)
    metadata = {str(name): _json(value) for name, value in document.metadata.items()}
    if "access" in metadata:
        metadata["access"] = _several(metadata["access"])
    groups = sorted(groups_of(metadata) or [])
    record = well_formed(document.id or "").strip() or digest(" ".join([text, *groups]))[:16]
    known: dict[str, Any] = {
        name: well_formed(value).strip()
        for name in FROM_RECORD
        if isinstance(value := document.metadata.get(name), str)
    }
    if known.get("kind") not in _KINDS:
        known["kind"] = "document"
    return Passage(
        id=f"{record}#{text_digest[:8]}",
        record_id=record,
        start=0,
        end=len(text),
        text=text,
        metadata=metadata,
        **known,
    )


def _with_labels(page: Passage) -> Passage:
    labels = {name: page.metadata[name] for name in _KEPT_LABELS if name in page.metadata}
    return replace(page, metadata=labels)


def _several(access: JSON) -> JSON:
    """The access groups; several may be a JSON list in a text, for stores without lists.

    Any other text is one group, so that nothing is readable by mistake.
    """
    if not (isinstance(access, str) and access.lstrip().startswith("[")):
        return access
    try:
        groups = json.loads(access)
    except (ValueError, RecursionError):
        return access
    named = bool(groups) and all(isinstance(item, str) for item in groups)
    return groups if named else access


def _json(value: Any) -> JSON:
    """A value of metadata as JSON; for other types (a date, an array) its text."""
    if isinstance(value, Mapping):
        return {str(name): _json(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float):
        return value
    return well_formed(str(value))


def _searches(given: Any) -> bool:
    """Whether it is a vector store rather than a retriever; SettingError if it is neither."""
    if not isinstance(given, type):
        if not missing_attributes(given, _SEARCHES):
            return True
        if not missing_attributes(given, ["invoke"]) and not isinstance(given, BaseLanguageModel):
            return False
    what = f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__
    raise SettingError(
        f"retriever: {what} has neither invoke, as a LangChain BaseRetriever that finds documents "
        f"has, nor {' and '.join(_SEARCHES)}, as a VectorStore has; give one of the two"
    )
