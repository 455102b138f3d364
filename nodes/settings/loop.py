"""When another round is searched, and what it starts from."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class LoopSettings(BaseModel):
    """When another round of retrieval and generation follows, and what it starts from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_rounds: int = Field(
        3, ge=1, le=10, description="Maximum number of rounds of retrieval and generation [S1]."
    )
    min_supported_share: float = Field(
        0.7,
        ge=0,
        le=1,
        description="The search ends when at least this share of the statements is supported "
        "(θ) [S1].",
    )
    rewrite: Literal["append", "model"] = Field(
        "append",
        description="How the query of the next round is made: `append` adds the unsupported "
        "statements to the query; `model` asks the chat model for a query [S6].",
    )
    history: Literal["unsupported", "rounds"] = Field(
        "unsupported",
        description="What the prompt of a later round contains from the earlier ones: the "
        "`unsupported` statements, or all `rounds`, each with its query, documents, answer and "
        "statements [S3].",
    )
    stop_without_new_passages: bool = Field(
        True, description="Stop searching when a round finds no new passage."
    )
