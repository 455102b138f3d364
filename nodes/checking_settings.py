"""The settings of a second critic, and of what is streamed before the answer is complete."""

from typing import Any

from pydantic import Field, field_validator

from anamnesis import SettingError
from models.reference import parse
from nodes.retrieval_settings import RetrievalSettings


class CheckingSettings(RetrievalSettings):
    """A second critic of the statements, and what a reader sees before the answer."""

    second_critic: str | None = Field(
        None,
        description="Second critic, which judges the statements that the first is unsure of: the "
        "reference of an entailment model or a fact-checker, or `llm:` and the reference of a chat "
        "model.",
    )
    second_from: float = Field(
        0.3,
        ge=0,
        le=1,
        description="Minimum support by the first critic at which the second is asked; from "
        "`support` on it is not asked.",
    )
    stream_draft: bool = Field(
        False,
        description="Stream the chat model's text as it is written, tagged `draft`; it is "
        "unchecked [R5].",
    )
    stream_statements: bool = Field(
        False,
        description="Stream each supported statement as soon as it is checked, while the chat "
        "model is still writing; streamed statements stay in the answer.",
    )

    @field_validator("second_critic")
    @classmethod
    def _is_a_second_critic(cls, reference: Any) -> Any:
        if reference is not None and parse(reference).scheme in ("similarity", "extractive"):
            raise SettingError(
                f"second_critic {reference!r} measures how close texts are, not whether one "
                "entails the other; name an entailment model, or llm: and a chat model"
            )
        return reference
