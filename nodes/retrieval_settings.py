"""The settings of retrieval; those of a whole run are in ``nodes.context``."""

from pydantic import BaseModel, ConfigDict, Field

from models.reranker import DEFAULT_RERANKER
from nodes.presets import Preset
from retrievers.facts import FactSearch
from retrievers.search import PASSAGES, Fusion, Method


class RetrievalSettings(BaseModel):
    """What is searched, how, and in which order passages are read [R1–R4, H3, K2, K3]."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    preset: Preset = Field("default", description="Settings to start from.")
    index: str | None = Field(
        None, description="Folder of the index. Default: `index` in the data folder."
    )
    user: str | None = Field(
        None,
        description="User whose memories are recalled and stored. An authenticated identity "
        "overrides it.",
    )

    methods: tuple[Method, ...] = Field(
        PASSAGES,
        min_length=1,
        description="Lists that retrieval searches and fuses: `sparse`, `dense`, and `facts` of "
        "a knowledge base, which is empty if the index has no facts [K7].",
    )
    candidates: int = Field(
        100, ge=1, le=1000, description="Candidates taken from each list before fusion [R3]."
    )
    fusion: Fusion = Field(
        "standardised",
        description="How the lists are fused: `rrf` by reciprocal ranks [H3, R3], `standardised` "
        "by the weighted mean of each list's scores, standardised to mean 0 and deviation 1.",
    )
    rrf_k: float = Field(60, ge=0, description="The constant of reciprocal rank fusion [H3, R3].")
    weights: dict[Method, float] | None = Field(
        None,
        description="Weight of each list in the fusion. Default: 1 each, except 3 for the dense "
        "list with `standardised` scores.",
    )
    spelling: bool = Field(
        True, description="Correct misspelt words to words of the index; a note says so."
    )
    several: bool = Field(
        True, description="If a message asks several questions, answer each of them separately."
    )
    reduce_query: bool = Field(
        True,
        description="Search for the content words of the question; if false, for the question as "
        "it is written [R1, R2].",
    )
    tune_query: bool = Field(
        True,
        description="Move the question's vector, for the dense list, by a matrix learned from "
        "judged questions; only with the default embedder.",
    )
    passages: int = Field(10, ge=1, le=100, description="Fused passages that are re-ranked [R4].")
    facts_k: int = Field(
        8,
        ge=1,
        le=100,
        description="Facts given to the generator in addition to the passages, if `methods` has "
        "`facts` [K3].",
    )
    fact_search: FactSearch = Field(
        "names",
        description="How facts are found: `broad` takes those nearest to each option; `refined` "
        "takes, of these, the nearest to the question with its options; `names` adds those that "
        "name what is asked about [K2, K3, K6].",
    )
    reranker: str | None = Field(
        DEFAULT_RERANKER,
        description="Model that re-orders the passages: `own` (the project's reader), the "
        "reference of another model, or `similarity`; null keeps the fused order [R4].",
    )
