"""How urgent messages are found and answered."""

from pydantic import BaseModel, ConfigDict, Field

from anamnesis.models.triage import TriageClassifier


class TriageSettings(BaseModel):
    """How urgent messages are found, and whose help lines are named."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    classifier: TriageClassifier = Field(
        "own",
        description="How the urgency of a message is classified: `own` (the project's reader "
        "model together with patterns for red flags), or `patterns` alone.",
    )
    country: str | None = Field(
        None,
        description="Country (two letters) whose emergency number, crisis line and poison centre "
        "are named. Default: those of several countries.",
    )
