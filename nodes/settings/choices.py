"""What a caller of the server may choose if the operator's policy says nothing else."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

# Each names a model, an address, a folder or a file: callers may only choose from a list.
MODELS = ("generator.model", "verification.critic", "verification.second_critic")
REACHING = ("index", *MODELS, "retrieval.reranker", "generator.prompts")
PROMPTS = "generator.prompts"
# Callers can switch this off only if it has a separate entry: an entry for its group, or a preset
# that they may choose, does not suffice.
PROTECTED = ("verification.safety_checks",)


class Bounds(BaseModel):
    """The range of numbers that a caller may choose, including both ends."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    minimum: float
    maximum: float

    def __str__(self) -> str:
        return f"{self.minimum:g} to {self.maximum:g}"


Rule = Annotated[bool | Bounds | list[Any], Field(union_mode="left_to_right")]
"""What a caller may choose of a setting: anything, numbers within bounds, or one of a list."""

CALLERS: dict[str, Rule] = {
    # No other preset: each of them switches off the critic or the reranker.
    "preset": ["default"],
    "retrieval.rerank_depth": Bounds(minimum=1, maximum=20),
    "generator.passages": Bounds(minimum=1, maximum=8),
    "generator.max_statements": Bounds(minimum=1, maximum=12),
    "generator.stream_draft": True,
    "generator.stream_statements": True,
    "memory.consent": True,
    "memory.ask_experts": True,
    # The user, which is used only if no tokens are in use.
    "user": True,
    "audience": True,
}
"""What a caller may choose by default: nothing that affects the network, the disk or a check."""
