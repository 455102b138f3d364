"""How a message is read."""

from pydantic import BaseModel, ConfigDict, Field


class QuestionSettings(BaseModel):
    """How a message is read before anything is searched."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    spelling: bool = Field(
        True, description="Correct misspelt words to words of the index; a note says so."
    )
    names: bool = Field(
        True,
        description="Read a brand name or an everyday name as the thing that the documents list it "
        "as another name of; a note says so.",
    )
    conversation: bool = Field(
        True,
        description="Read a message as part of a conversation: a follow-up question is rewritten "
        "so that it can be understood alone, *yes* to an offer asks for what was offered, and "
        "words that ask nothing are not searched for. If false, every message except an "
        "emergency is searched for unchanged.",
    )
    premises: bool = Field(
        True,
        description="Check the assumptions in a question against the documents.",
    )
    split: bool = Field(
        True, description="If a message asks several questions, answer each of them separately."
    )
