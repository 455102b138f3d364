"""The settings of one run.

A preset fills in what the caller left out; what the caller sets wins. Unknown keys are refused.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from langgraph.runtime import Runtime
from pydantic import Field, field_validator, model_validator

from anamnesis import SettingError
from memory.record import KINDS, Kind
from memory.scores import Ranking
from models.critic import DEFAULT_CRITIC
from models.reference import parse
from nodes.help_lines import countries
from nodes.options import is_polar
from nodes.presets import PRESETS
from nodes.published_settings import PublishedSettings
from prompts import Name


class Context(PublishedSettings):
    """Settings of one run; codes in brackets name features of the published systems."""

    evidence_passages: int | None = Field(
        None,
        ge=1,
        le=20,
        description="Passages given to the generator [R4]. Default: 3, or 8 if the prompt has at "
        "least 4,096 tokens.",
    )
    min_relevance: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Minimum probability that the best passage answers the question; below it "
        "the answer is the fallback. Default: 0.43 if the evidence is quoted, 0.1 if a chat "
        "model reads it [H5].",
    )

    triage: Literal["own", "patterns"] = Field(
        "own",
        description="How the urgency of a message is classified: `own` (the project's reader "
        "together with patterns of red flags), or `patterns` alone.",
    )
    country: str | None = Field(
        None,
        description="Country (two letters) whose emergency number, crisis line and poison centre "
        "are named. Default: those of several countries.",
    )

    generator: str = Field(
        "extractive",
        description="`extractive` quotes the evidence; any other value is the reference of a "
        "chat model, such as `ollama:llama3.1` or `hf:microsoft/phi-2` [H6, R5].",
    )
    temperature: float = Field(0.3, ge=0, le=2, description="Temperature of the chat model [R5].")
    max_tokens: int = Field(1024, ge=1, description="Maximum tokens of the model's answer [R5].")
    seed: int | None = Field(None, description="Random seed of the chat model, if it accepts one.")
    redact: bool = Field(
        False,
        description="Replace identifying names, dates, addresses and numbers by placeholders "
        "before a chat model sees them; the answer has the original words again.",
    )
    structured: bool = Field(
        True,
        description="Ask a chat model for statements in a schema if it supports one. Otherwise, "
        "if this is false, or if the draft or its statements are streamed, it writes text [S3].",
    )
    prompt_tokens: Annotated[int, Field(ge=64)] | Literal["window"] | None = Field(
        None,
        description="Budget of the prompt in tokens of the generator [H4]. Default: a sixteenth "
        "of the context window that the chat model states, from 1,024 to 8,192; 1,024 if it "
        "states none. `window`: the whole context window except the longest answer, or no limit "
        "if the model states none.",
    )
    fact_tokens: int | None = Field(
        None,
        ge=0,
        description="Part of this budget that is reserved for facts of a knowledge base [K3]. "
        "Default: a quarter.",
    )
    prompts: dict[Name, str] = Field(
        {},
        description="Prompts that replace the project's own, each a text or the path of a file.",
    )
    max_statements: int = Field(
        6,
        ge=1,
        le=30,
        description="Maximum statements of an extractive answer, not counting a statement that "
        "qualifies the one before it.",
    )

    critic: str | None = Field(
        DEFAULT_CRITIC,
        description="Model that checks every statement: `own` (the project's cross-encoder), the "
        "reference of another entailment model, `llm:` and the reference of a chat model, or "
        "`similarity`; with null statements are not checked, and the answer says so [S4, S5].",
    )
    support: float = Field(
        0.7, ge=0, le=1, description="Minimum probability of a supported statement (τ) [S4]."
    )
    choice_support: float = Field(
        0.85,
        ge=0,
        le=1,
        description="Minimum probability at which the extractive generator chooses an option of "
        "a question [K5].",
    )
    always_choose: bool = Field(
        False,
        description="Whether one of several options is chosen without verification: the one "
        "nearest to the evidence, or the chat model's. A note says so [K4].",
    )
    support_score: float = Field(
        0.7,
        ge=0,
        le=1,
        description="Minimum share of supported statements that ends the search (θ) [S1].",
    )
    max_rounds: int = Field(
        3, ge=1, le=10, description="Maximum rounds of retrieval and generation [S1]."
    )

    rewrite: Literal["append", "model"] = Field(
        "append",
        description="The next round's query: `append` adds the unsupported statements to the "
        "query, `model` asks the chat model for a query [S6].",
    )
    stop_without_news: bool = Field(
        True,
        description="Stop searching when a round finds no passage that earlier rounds did not "
        "find.",
    )

    memory: bool = Field(True, description="Recall memories of the user [H1, H2].")
    remember: bool = Field(
        False,
        description="The user's consent to store this exchange and what the user says about "
        "themselves; false unless given [H7].",
    )
    memory_threshold: Annotated[float, Field(ge=-1, le=1)] | Literal["adaptive"] = Field(
        0.3,
        description="Minimum nearness of a recalled memory [H1]; `adaptive` computes it from the "
        "nearness of all of the user's memories to the question [H10].",
    )
    memory_words: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Weight, in the nearness of a memory, of the words that it shares with the "
        "question; the rest is cosine similarity. At 0 only cosine similarity counts.",
    )
    memories: int = Field(2, ge=0, le=20, description="Maximum recalled exchanges [H1].")
    memory_kinds: tuple[Kind, ...] = Field(
        KINDS,
        description="Kinds of memories that are recalled: `exchange`, as many as `memories` says "
        "[H1], and the best one each of `residual`, `question` and `response` [M3].",
    )
    memory_ranking: Ranking = Field(
        "default",
        description="Weights by which memories are ranked: `default`, `freshness`, `popularity`, "
        "`feedback-freshness`, `feedback`, `balanced`, `core` or `similarity` [M4].",
    )
    memory_formula: Literal["scaled", "printed"] = Field(
        "scaled",
        description="Whether each term of the ranking is first scaled to 0–1 (`scaled`); "
        "`printed` is the published formula [M4].",
    )
    memory_days: int | None = Field(
        None,
        ge=1,
        description="Days after which a memory of the user is forgotten if it was not said "
        "again; null keeps it [H10].",
    )
    memory_limit: int | None = Field(
        None,
        ge=1,
        description="Maximum memories of the user; when another one is stored, those least worth "
        "keeping are deleted [M7, H10].",
    )
    audience: dict[str, str] = Field(
        {},
        description="The user's department, location and so on: expert memories that name one "
        "are recalled only for users with the same value. An authenticated user has only those "
        "from the authentication [M9].",
    )

    @field_validator("generator", "reranker", "critic")
    @classmethod
    def _is_a_reference(cls, reference: str | None) -> str | None:
        # An invalid reference is reported at once, not in the middle of a run.
        if reference is not None:
            parse(reference)
        return reference

    @field_validator("country")
    @classmethod
    def _is_a_country(cls, country: str | None) -> str | None:
        if country is not None and country.upper() not in countries():
            known = ", ".join(countries())
            raise SettingError(f"no emergency numbers for country {country!r}; known are: {known}")
        return country and country.upper()

    @model_validator(mode="before")
    @classmethod
    def _apply_preset(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        return {**PRESETS.get(given.get("preset", "default"), {}), **given}


def settings(runtime: Runtime[Context]) -> Context:
    """The run's settings; the defaults if the caller passed no context."""
    return runtime.context or Context()  # type: ignore[call-arg]


def unweighed(choices: Mapping[str, str], context: Context) -> bool:
    """Whether one of these options is chosen unverified [K4]: never for yes and no."""
    return context.always_choose and bool(choices) and not is_polar(choices)


def owner(runtime: Runtime[Context]) -> str | None:
    """The user: the authenticated identity if there is one, otherwise the context's ``user``."""
    server = runtime.server_info
    if server is not None and server.user is not None:
        return str(server.user.identity)
    return settings(runtime).user
