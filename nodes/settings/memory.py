"""What is recalled of a user, and what is stored."""

from typing import Annotated, Literal

from pydantic import Field

from anamnesis.documented import Documented
from anamnesis.memory.record import KINDS, STORED, Kind
from anamnesis.memory.scores import Ranking, ScoreScaling


class MemorySettings(Documented):
    """What is recalled of a user, and what is stored."""

    recall: bool = True
    """Recall memories of the user [H1, H2]."""
    consent: bool = False
    """The user's consent to store this exchange and what the user says about themselves; false
    unless the user gives it [H7]."""
    threshold: Annotated[float, Field(ge=-1, le=1)] | Literal["adaptive"] = 0.3
    """Minimum similarity of a recalled memory to the question [H1]; `adaptive` computes it from the
    similarities of all of the user's memories [H10]."""
    lexical_weight: float = Field(0.5, ge=0, le=1)
    """Weight of shared words (BM25) in the similarity of a memory to the question; the rest is the
    weight of the cosine similarity. With 0, only the latter counts."""
    max_exchanges: int = Field(2, ge=0, le=20)
    """Maximum number of recalled exchanges [H1]."""
    recalled_kinds: tuple[Kind, ...] = KINDS
    """Kinds of memories that are recalled: `exchange`, as many as `max_exchanges` says [H1], and
    the best one each of `residual`, `question` and `response` [M3]."""
    ranking: Ranking = "default"
    """Weights by which memories are ranked: `default`, `freshness`, `popularity`,
    `feedback-freshness`, `feedback`, `balanced`, `core` or `similarity` [M4]."""
    rankings_by_kind: dict[Kind, Ranking] = Field({})
    """Rankings for single kinds of memories, used in place of `memory.ranking` [M4]."""
    score_scaling: ScoreScaling = "min-max"
    """How the terms of the memory relevance score are scaled before they are added: `min-max` to
    0–1 over the memories that are compared, `none` not at all, as in the published formula [M4]."""
    stored_kinds: tuple[Kind, ...] = STORED
    """Kinds of memories that are stored if the user consents [H1, M1]; `profile` is what the user
    says about their age, sex, pregnancy, allergies, conditions and medicines."""
    stored_exchanges: Literal["checked", "all"] = "checked"
    """Which exchanges are stored: those whose statements were `checked`, or `all` exchanges, in
    which each unchecked statement is marked as such [H1]."""
    notes: Literal["quoted", "inferred"] = "quoted"
    """Which notes are stored in addition to exchanges: `quoted` notes repeat the user's own words
    (a chat model only points to them); `inferred` notes are written by a chat model and marked as
    inferred [M1]."""
    contradictions: bool | None = None
    """Look for memories that contradict each other [M8]; without a critic for statements, the
    default critic does this. Default: only if statements are checked."""
    ask_experts: bool = False
    """The user's consent that, if this question is not answered, experts see it without the user's
    name and can answer it later. This also needs `memory.consent` [M9]."""
    quote_user: bool = True
    """Answer a question about the user's own record by quoting the user's statements, with the
    date. They are a source only for facts about the user [H5]."""
    verify_again: bool = True
    """Verify stored exchanges again when the index has changed. If the sources no longer support an
    exchange, it is not recalled, and its owner is informed once."""
    medicine_warnings: bool = True
    """Warn if the user's profile, or what the user says in the conversation, is a reason not to
    take a medicine that the question mentions or a statement is about. The absence of a warning
    does not mean that the medicine is safe."""
    max_age_days: int | None = Field(None, ge=1)
    """A memory that the user has not repeated for this many days is no longer recalled, and is
    deleted when the next memory is stored; null: no limit [H10]."""
    max_memories: int | None = Field(None, ge=1)
    """Maximum number of memories of the user. When another one is stored, those least worth keeping
    are deleted; null: no limit [M7, H10]."""
