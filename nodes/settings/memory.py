"""What is recalled of a user, and what is stored."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from anamnesis.memory.record import KINDS, STORED, Kind
from anamnesis.memory.scores import Ranking


class MemorySettings(BaseModel):
    """What is recalled of a user, and what is stored."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    recall: bool = Field(True, description="Recall memories of the user [H1, H2].")
    consent: bool = Field(
        False,
        description="The user's consent to store this exchange and what the user says about "
        "themselves; false unless given [H7].",
    )
    threshold: Annotated[float, Field(ge=-1, le=1)] | Literal["adaptive"] = Field(
        0.3,
        description="Minimum nearness of a recalled memory [H1]; `adaptive` computes it from the "
        "nearness of all of the user's memories to the question [H10].",
    )
    lexical_weight: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Weight, in the nearness of a memory, of the words that it shares with the "
        "question; the rest is cosine similarity. At 0 only cosine similarity counts.",
    )
    max_exchanges: int = Field(2, ge=0, le=20, description="Maximum recalled exchanges [H1].")
    recalled_kinds: tuple[Kind, ...] = Field(
        KINDS,
        description="Kinds of memories that are recalled: `exchange`, as many as `max_exchanges` "
        "says [H1], and the best one each of `residual`, `question` and `response` [M3].",
    )
    ranking: Ranking = Field(
        "default",
        description="Weights by which memories are ranked: `default`, `freshness`, `popularity`, "
        "`feedback-freshness`, `feedback`, `balanced`, `core` or `similarity` [M4].",
    )
    rankings_by_kind: dict[Kind, Ranking] = Field(
        {},
        description="Weights of single kinds of memories, in the place of `ranking` [M4].",
    )
    formula: Literal["scaled", "printed"] = Field(
        "scaled",
        description="Whether each term of the ranking is first scaled to 0–1 (`scaled`); "
        "`printed` is the published formula [M4].",
    )
    stored_kinds: tuple[Kind, ...] = Field(
        STORED,
        description="Which kinds of memories are kept where the user consents [H1, M1]; `profile` "
        "is what the user says of their age, sex, pregnancy, allergies, conditions and medicines.",
    )
    stored_exchanges: Literal["checked", "all"] = Field(
        "checked",
        description="Which exchanges are stored: those whose statements were `checked`, or `all` "
        "of them, each statement that was not checked marked as such [H1].",
    )
    notes: Literal["quoted", "inferred"] = Field(
        "quoted",
        description="Which notes are stored in addition to exchanges: the user's own words, "
        "`quoted` (a chat model only points to them), or what a chat model has `inferred`, "
        "marked as such [M1].",
    )
    contradictions: bool | None = Field(
        None,
        description="Look for memories that contradict each other; where statements are not "
        "checked, by the usual critic [M8]. Left out: where statements are checked.",
    )
    ask_experts: bool = Field(
        False,
        description="The user's consent that experts see this question, without its user's name, "
        "if it is not answered; it waits for them then, where `consent` is given as well [M9].",
    )
    quote_user: bool = Field(
        True,
        description="Answer a question about the user's own record by quoting what they said, with "
        "the date; such words are a source about the user alone [H5].",
    )
    verify_again: bool = Field(
        True,
        description="Verify stored exchanges again when the index has changed; one that its "
        "sources no longer support is not recalled, and its owner is informed once.",
    )
    warnings: bool = Field(
        True,
        description="Warn where a statement is about a medicine that the user's profile, or what "
        "the question says of them, speaks against. No warning does not mean that it is safe.",
    )
    max_age_days: int | None = Field(
        None,
        ge=1,
        description="Days after which a memory of the user is forgotten if it was not said "
        "again; null keeps it [H10].",
    )
    max_memories: int | None = Field(
        None,
        ge=1,
        description="Maximum memories of the user; when another one is stored, those least worth "
        "keeping are deleted [M7, H10].",
    )
