"""An index as a LangChain retriever, keyed by passage id."""

from typing import Annotated, Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, PlainValidator

from anamnesis.corpus.passage import FROM_RECORD, Passage
from anamnesis.errors import SettingError
from retrievers.corpus import Corpus, for_run, require_corpus
from retrievers.search import search

_SETTINGS = ("candidates", "rrf_k", "weights", "reduce_query", "query_adapter")


def about(passage: Passage) -> dict[str, Any]:
    """The metadata of a passage as a document of LangChain."""
    names = (*FROM_RECORD, "record_id", "start", "end")
    return {**passage.metadata, **{name: getattr(passage, name) for name in names}}


class HybridRetriever(BaseRetriever):
    """Both lists, fused by reciprocal ranks [R3, H3], as documents with the passage's id and text.

    ``metadata`` has what the record's metadata has, such as its date and its access groups, which a
    ``Filter`` reads; title, question, source, url, focus, kind, record_id, start and end (in
    characters of the record's text); and how it was found: ranks (from 1) and raw scores by list,
    and score.

    Raises SettingError for a query that is not a text.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    index: Annotated[Corpus, PlainValidator(require_corpus)]
    """The opened index, or another corpus."""
    k: int = 10
    """How many passages to return."""
    candidates: int | None = None
    """Passages taken from each list; None: 3 k, at least 30."""
    rrf_k: float = 60
    """The constant of reciprocal rank fusion."""
    weights: dict[str, float] | None = None
    """The lists' weights; 1 by default."""
    reduce_query: bool = True
    """Whether only the content words are searched for; see ``search``."""
    query_adapter: bool = True
    """Whether the learned matrix is applied to the question's vector for the dense list."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        if not isinstance(query, str):
            raise SettingError(f"the query is {query!r:.80}; give a text")
        settings: dict[str, Any] = {name: getattr(self, name) for name in _SETTINGS}
        index = for_run(self.index)
        hits = search(index, query, k=self.k, **settings)
        found = index.passages([hit["id"] for hit in hits])
        return [
            Document(
                id=passage.id,
                page_content=passage.text,
                metadata={
                    **about(passage),
                    "ranks": hit["ranks"],
                    "scores": hit["scores"],
                    "score": hit["score"],
                },
            )
            for hit, passage in zip(hits, found, strict=True)
        ]
