"""When another round is searched, and what it starts from."""

from typing import Literal

from pydantic import Field

from anamnesis.documented import Documented


class LoopSettings(Documented):
    """When another round of retrieval and generation follows, and what it starts from."""

    max_rounds: int = Field(3, ge=1, le=10)
    """Maximum number of rounds of retrieval and generation [S1]."""
    min_supported_share: float = Field(0.7, ge=0, le=1)
    """The search ends when at least this share of the statements is supported (θ) [S1]."""
    rewrite: Literal["append", "model"] = "append"
    """How the query of the next round is made: `append` adds the unsupported statements to the
    query; `model` asks the chat model for a query [S6]."""
    history: Literal["unsupported", "rounds"] = "unsupported"
    """What the prompt of a later round contains from the earlier ones: the `unsupported`
    statements, or all `rounds`, each with its query, documents, answer and statements [S3]."""
    stop_without_new_passages: bool = True
    """Stop searching when a round finds no new passage."""
