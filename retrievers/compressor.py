"""The project's reader as a LangChain document compressor."""

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict, Field

from anamnesis.attributes import require
from anamnesis.models.reranker import DEFAULT_RERANKER, Reranker, load_reranker
from retrievers.asked_as import headings
from retrievers.given_documents import passage_of


class ReaderCompressor(BaseDocumentCompressor):
    """Orders documents by the probability that they answer, for LangChain's retrievers.

    Returns copies with ``relevance_score`` (0..1) and ``sentences`` in the metadata: first
    character, one past the last, and the probability that a good answer quotes it.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    reranker: str = DEFAULT_RERANKER
    """Reference of the reader; see ``anamnesis.models.reranker.load_reranker``."""
    top_n: int | None = Field(None, ge=1)
    """Maximum number of documents; None: all that are relevant enough."""
    least: float = Field(0.0, ge=0, le=1)
    """Minimum relevance of a document that is returned."""
    reader: Any = None
    """A ``Reranker`` to use in place of the named one."""

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """The documents that are relevant enough, best first."""
        if not documents:
            return []
        if self.reader is not None:
            require("reader", self.reader, ("read",), "give a Reranker, such as load_reranker(…)")
        reader: Reranker = self.reader or load_reranker(self.reranker)
        pages = [passage_of(item) for item in documents]
        titles = headings(query, pages)
        readings = reader.read(
            query, [(t, item.text) for t, item in zip(titles, pages, strict=True)]
        )
        pairs = sorted(zip(documents, readings, strict=True), key=lambda pair: -pair[1].relevance)
        return [
            item.model_copy(
                update={
                    "metadata": {
                        **item.metadata,
                        "relevance_score": reading.relevance,
                        "sentences": [list(sentence) for sentence in reading.sentences],
                    }
                }
            )
            for item, reading in pairs[: self.top_n]
            if reading.relevance >= self.least
        ]
