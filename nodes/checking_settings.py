"""The settings of a second critic, and of what is streamed before the answer is whole."""

from typing import Any

from pydantic import BaseModel, Field, field_validator

from anamnesis import SettingError
from models.reference import parse


class CheckingSettings(BaseModel):
    """Who else checks a statement, and what a reader gets before the answer."""

    second_critic: str | None = Field(
        None,
        description="Second critic, asked of statements that the first is unsure of: the reference "
        "of an entailment model or a fact-checker, or `llm:` and the reference of a chat model.",
    )
    second_from: float = Field(
        0.3,
        ge=0,
        le=1,
        description="Least support by the first critic at which the second is asked; from "
        "`support` on it is not.",
    )
    stream_draft: bool = Field(
        False,
        description="Stream the chat model's words as they come, tagged `draft`: nothing has "
        "checked them [R5].",
    )
    stream_statements: bool = Field(
        False,
        description="Stream each statement as soon as it is checked, if it is supported, while "
        "the chat model still writes; what was streamed stays in the answer.",
    )

    @field_validator("second_critic")
    @classmethod
    def _is_a_second_critic(cls, reference: Any) -> Any:
        if reference is not None and parse(reference).scheme in ("similarity", "extractive"):
            raise SettingError(
                f"second_critic {reference!r} tells how close texts are, not whether one says the "
                "other; name an entailment model, or llm: and a chat model"
            )
        return reference
