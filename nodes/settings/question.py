"""How a message is read."""

from pydantic import BaseModel, ConfigDict, Field


class QuestionSettings(BaseModel):
    """How a message is read before anything is searched."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    spelling: bool = Field(
        True, description="Correct misspelt words to words of the index; a note says so."
    )
    conversation: bool = Field(
        True,
        description="Read a message as part of a conversation: a follow-up is made to stand alone, "
        "an offer is taken up, and words that ask nothing are not searched for. Off, every message "
        "but an emergency is searched for as it is.",
    )
    premises: bool = Field(
        True,
        description="Check what a question takes for granted against the documents.",
    )
    split: bool = Field(
        True, description="If a message asks several questions, answer each of them separately."
    )
