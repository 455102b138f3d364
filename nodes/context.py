"""The settings of one run.

A preset fills in what the caller left out; what the caller sets wins. Unknown keys are refused.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from langgraph.runtime import Runtime
from pydantic import ConfigDict, Field, field_validator, model_validator

from anamnesis import SettingError
from memory.record import KINDS, Kind
from memory.scores import Ranking
from models.critic import DEFAULT_CRITIC
from models.reference import parse
from models.reranker import DEFAULT_RERANKER
from nodes.help_lines import countries
from nodes.options import is_polar
from nodes.presets import PRESETS, Preset
from nodes.published_settings import PublishedSettings
from prompts import Name
from retrievers.search import PASSAGES, Fusion, Method


class Context(PublishedSettings):
    """Settings of one run of the graph. Rows in brackets refer to the published systems."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    preset: Preset = Field("default", description="Settings to start from.")
    index: str | None = Field(
        None, description="Folder of the index; left out: `index` in the data folder."
    )
    user: str | None = Field(
        None,
        description="Whose memories are read and kept. An authenticated identity wins over it.",
    )

    methods: tuple[Method, ...] = Field(
        PASSAGES,
        min_length=1,
        description="Lists that retrieval asks and fuses: `sparse`, `dense`, and `facts` of a "
        "knowledge base, which is empty where the index has none [K7].",
    )
    candidates: int = Field(
        100, ge=1, le=1000, description="Candidates taken of each list before fusion [R3]."
    )
    fusion: Fusion = Field(
        "standardised",
        description="How the lists are fused: `rrf` by reciprocal ranks [H3, R3], `standardised` "
        "by the weighed mean of each list's scores taken to mean 0 and deviation 1.",
    )
    rrf_k: float = Field(60, ge=0, description="The constant of reciprocal rank fusion [H3, R3].")
    weights: dict[Method, float] | None = Field(
        None,
        description="Weight of each list in the fusion; left out: 1 each, and of `standardised` "
        "scores 3 for the dense list.",
    )
    spelling: bool = Field(
        True, description="Repair words that the index has nearly the same; a note says so."
    )
    several: bool = Field(
        True, description="Answer each question of a message that has several by itself."
    )
    reduce_query: bool = Field(
        True,
        description="Ask the lists for the question's words that carry meaning; off, for the "
        "question as it is written [R1, R2].",
    )
    passages: int = Field(10, ge=1, le=100, description="Fused passages that are re-ranked [R4].")
    reranker: str | None = Field(
        DEFAULT_RERANKER,
        description="Model that re-orders the passages: `own` (the project's cross-encoder), the "
        "reference of another one, or `similarity`; null keeps the fused order [R4].",
    )
    evidence_passages: int | None = Field(
        None,
        ge=1,
        le=20,
        description="Passages that go to the generator [R4]. Left out: 3, and 8 where the prompt "
        "has at least 4,096 tokens.",
    )
    min_relevance: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Least probability that the best passage answers the question; below it the "
        "answer is the fallback. Left out: 0.45 where the evidence is quoted, 0.1 where a chat "
        "model reads it [H5].",
    )

    triage: Literal["own", "patterns"] = Field(
        "own",
        description="What tells how urgent a message is: `own` (the project's reader, seconded by "
        "patterns of red flags), or the `patterns` alone.",
    )
    country: str | None = Field(
        None,
        description="Country (two letters) whose emergency number, crisis line and poison centre "
        "are named; left out, those of several.",
    )

    generator: str = Field(
        "extractive",
        description="`extractive` quotes the evidence; any other value is the reference of a "
        "chat model, such as `ollama:llama3.1` or `hf:microsoft/phi-2` [H6, R5].",
    )
    temperature: float = Field(0.3, ge=0, le=2, description="Of the chat model [R5].")
    max_tokens: int = Field(1024, ge=1, description="Longest answer of the chat model [R5].")
    seed: int | None = Field(None, description="Of the chat model, where it takes one.")
    redact: bool = Field(
        False,
        description="Put placeholders for names, dates, addresses and numbers that identify "
        "before a chat model sees them; the answer has the words again.",
    )
    stream_draft: bool = Field(
        False,
        description="Stream the chat model's words as they come, tagged `draft`: nothing has "
        "checked them [R5].",
    )
    structured: bool = Field(
        True,
        description="Ask a chat model that can for statements by a schema; the others, and all of "
        "them where this is off or the draft is streamed, write text [S3].",
    )
    prompt_tokens: Annotated[int, Field(ge=64)] | Literal["window"] | None = Field(
        None,
        description="Budget of the prompt in tokens of the generator [H4]. Left out: a sixteenth "
        "of the window that the chat model states, 1,024 to 8,192; where it states none, 1,024. "
        "`window`: all of the window but the longest answer; no bound where it states none.",
    )
    fact_tokens: int | None = Field(
        None,
        ge=0,
        description="Of this budget what facts of a knowledge base have for themselves [K3]. Left "
        "out: a quarter.",
    )
    prompts: dict[Name, str] = Field(
        {},
        description="Prompts in place of the project's own, each a text or the path of a file.",
    )
    max_statements: int = Field(
        6,
        ge=1,
        le=30,
        description="Most statements of an extractive answer, beside those that qualify "
        "one right behind it.",
    )

    critic: str | None = Field(
        DEFAULT_CRITIC,
        description="Model that checks every statement: `own` (the project's cross-encoder), the "
        "reference of another entailment model, `llm:` and the reference of a chat model, or "
        "`similarity`; null leaves statements unchecked, and says so [S4, S5].",
    )
    support: float = Field(
        0.7,
        ge=0,
        le=1,
        description="Least probability of a supported statement (τ) [S4].",
    )
    choice_support: float = Field(
        0.85,
        ge=0,
        le=1,
        description="Least probability at which the extractive generator names an option of a "
        "question [K5].",
    )
    always_choose: bool = Field(
        False,
        description="Whether one of several options is named without being weighed: the one that "
        "the evidence is nearest to, or the chat model's. A note says so [K4].",
    )
    support_score: float = Field(
        0.7,
        ge=0,
        le=1,
        description="Least share of supported statements to stop searching (θ) [S1].",
    )
    max_rounds: int = Field(
        3, ge=1, le=10, description="Most rounds of retrieval and generation [S1]."
    )

    rewrite: Literal["append", "model"] = Field(
        "append",
        description="The next round's query: `append` puts what was unsupported behind the query, "
        "`model` asks the chat model for one [S6].",
    )
    stop_without_news: bool = Field(
        True,
        description="Search no more once a round brings no passage that no earlier round had.",
    )

    memory: bool = Field(True, description="Recall memories of the user [H1, H2].")
    remember: bool = Field(
        False,
        description="The user's consent to keep this exchange and what it tells; off unless "
        "given [H7].",
    )
    memory_threshold: Annotated[float, Field(ge=-1, le=1)] | Literal["adaptive"] = Field(
        0.3,
        description="Least nearness of a recalled memory [H1]; `adaptive` takes it from how near "
        "all of the user's memories are to the question [H10].",
    )
    memory_words: float = Field(
        0.5,
        ge=0,
        le=1,
        description="How much of the nearness of a memory is the words that it shares with the "
        "question; the rest is the cosine similarity, which alone counts at 0.",
    )
    memories: int = Field(2, ge=0, le=20, description="Most recalled exchanges [H1].")
    memory_kinds: tuple[Kind, ...] = Field(
        KINDS,
        description="Which memories are recalled: `exchange`, as many as `memories` says [H1], and "
        "the best one each of `residual`, `question` and `response` [M3].",
    )
    memory_ranking: Ranking = Field(
        "default",
        description="Weights by which memories are ranked: `default`, `freshness`, `popularity`, "
        "`feedback-freshness`, `feedback`, `balanced`, `core` or `similarity` [M4].",
    )
    memory_formula: Literal["scaled", "printed"] = Field(
        "scaled",
        description="Whether each term of the ranking is scaled to 0–1 first; `printed` is the "
        "formula as it is published [M4].",
    )
    memory_days: int | None = Field(
        None,
        ge=1,
        description="Days after which a memory of the user that was not said again is forgotten; "
        "null keeps it [H10].",
    )
    memory_limit: int | None = Field(
        None,
        ge=1,
        description="Most memories of the user: the least worth keeping are forgotten when a "
        "further one is kept [M7, H10].",
    )
    audience: dict[str, str] = Field(
        {},
        description="The user's department, location and the like: expert memories that name one "
        "are recalled only where it is the same. An authenticated user has only those that the "
        "authentication gives [M9].",
    )

    @field_validator("generator", "reranker", "critic")
    @classmethod
    def _is_a_reference(cls, reference: str | None) -> str | None:
        # A reference that is none is said at once, not in the middle of a run.
        if reference is not None:
            parse(reference)
        return reference

    @field_validator("country")
    @classmethod
    def _is_a_country(cls, country: str | None) -> str | None:
        if country is not None and country.upper() not in countries():
            known = ", ".join(countries())
            raise SettingError(f"country {country!r} has no numbers here; there are: {known}")
        return country and country.upper()

    @model_validator(mode="before")
    @classmethod
    def _apply_preset(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        return {**PRESETS.get(given.get("preset", "default"), {}), **given}


def settings(runtime: Runtime[Context]) -> Context:
    """The run's settings; the defaults where the caller gave no context."""
    return runtime.context or Context()  # type: ignore[call-arg]


def unweighed(choices: Mapping[str, str], context: Context) -> bool:
    """Whether one of these options, if there are any but yes and no, is named unweighed [K4]."""
    return context.always_choose and bool(choices) and not is_polar(choices)


def owner(runtime: Runtime[Context]) -> str | None:
    """Who the user is: the authenticated identity where there is one, else the context's user."""
    server = runtime.server_info
    if server is not None and server.user is not None:
        return str(server.user.identity)
    return settings(runtime).user
