"""What is searched, how, and in which order passages are read."""

from typing import Any, Literal

from pydantic import Field

from anamnesis.documented import Documented
from anamnesis.models.reranker import DEFAULT_RERANKER
from nodes.settings.references import Method, ModelReference
from retrievers.facts import DEFAULT_FACT_CANDIDATES, FactSearch
from retrievers.methods import BM25, DEFAULT_METHODS, RETRIEVERS
from retrievers.search import Fusion


def _list_methods(schema: dict[str, Any]) -> None:
    """Describe the methods in the schema of the setting: those that the table has by then."""
    listed = "; ".join(f"`{name}`: {item.about}" for name, item in RETRIEVERS.items())
    schema["description"] = f"{schema['description']} {listed}."


class RetrievalSettings(Documented):
    """What is searched, how, and in which order passages are read [R1–R4, H3, K2, K3]."""

    methods: tuple[Method, ...] = Field(
        DEFAULT_METHODS, min_length=1, json_schema_extra=_list_methods
    )
    """Search methods to use. Each returns a ranked list, and the lists are fused."""
    candidates: int = Field(100, ge=1, le=1000)
    """Number of candidates that each method returns for the fusion [R3]."""
    bm25: BM25 = "matrix"
    """How the scores of `sparse` are computed: `matrix` with a stored matrix, or `rank-bm25` with
    the library of that name, which gives the same scores but reads every passage and needs an index
    in files [R1]."""
    fusion: Fusion = "standardised"
    """How the lists of the methods are fused: `rrf` by reciprocal ranks [H3, R3], `standardised` by
    the weighted mean of each list's scores, standardised to mean 0 and standard deviation 1."""
    rrf_k: float = Field(60, ge=0)
    """The constant of reciprocal rank fusion [H3, R3]."""
    weights: dict[Method, float] | None = None
    """Weight of each method in the fusion. Default: 1 each; with `retrieval.fusion=standardised`, 3
    for `dense`."""
    reduce_query: bool = True
    """`sparse` uses only the content words of the question. `dense` is affected only if
    `retrieval.query_adapter` is off or does not fit the index's embedder: it then uses the mean of
    the vectors of the question and of its content words. If false, both search for the question as
    it is written [R1, R2]."""
    query_adapter: bool = True
    """Use the query adapter for `dense`: multiply the question's vector by a matrix that was
    learned from judged questions; only with the default embedder."""
    facts_k: int = Field(8, ge=1, le=100)
    """Number of facts that are given to the generator in addition to the passages, if
    `retrieval.methods` contains `facts` [K3]."""
    fact_candidates: int = Field(DEFAULT_FACT_CANDIDATES, ge=1, le=1000)
    """Number of facts (K) that are found for each option. The best `retrieval.facts_k` of these are
    used [K2]."""
    fact_search: FactSearch = "names"
    """How facts are found: `broad` takes the facts nearest to each option; `refined` takes, from
    these, the facts nearest to the question with its options; `names` adds facts that name what the
    question is about [K2, K3, K6], as for every question without options [K7]."""
    rerank_depth: int = Field(6, ge=1, le=100)
    """Number of passages at the top of the fused list that are re-ranked; never fewer than the
    generator is given [R4]."""
    reranker: ModelReference | None = DEFAULT_RERANKER
    """Model that re-orders the passages: `own` (the project's reader model), the reference of
    another model, or `similarity`; null keeps the fused order [R4]."""
    rerank_by: Literal["both", "reranker"] = "both"
    """What determines the order of the re-ranked passages: `both` the scores of the reranker and of
    the fused list, or the `reranker` alone [R4]. With `both`, at least one of the passages for the
    generator was found by `dense` [H3]."""
    min_relevance: float | None = Field(None, ge=0, le=1)
    """Minimum probability that the best passage answers the question; if it is not reached, the
    fallback answer is given. Default: 0.31 if the evidence is quoted (0.38 for one of several
    questions), 0.1 if a chat model reads it [H5]."""
    gate: bool = True
    """Ask a chat model only if the best passage reaches `retrieval.min_relevance`. If false, the
    model itself says if the documents contain no answer [H5, R5]. In either case a passage is
    quoted only if it reaches `retrieval.min_relevance`."""
