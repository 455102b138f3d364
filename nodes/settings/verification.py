"""How statements and options are checked."""

from typing import Literal

from pydantic import Field, field_validator

from anamnesis import SettingError
from anamnesis.documented import Documented
from anamnesis.models.critic import DEFAULT_CRITIC
from anamnesis.models.reference import parse
from nodes.settings.references import ModelReference


class VerificationSettings(Documented):
    """How statements and options are checked."""

    critic: ModelReference | None = DEFAULT_CRITIC
    """Model that checks every statement: `own` (the project's entailment model), the reference of
    another entailment model, `llm:` and the reference of a chat model, or `similarity`. If null,
    statements are not checked, and the answer says so [S4, S5]."""
    min_probability: float = Field(0.8, ge=0, le=1)
    """Minimum probability (τ) at which a statement is supported [S4]."""
    second_critic: str | None = None
    """Second critic, which judges the statements about which the first is unsure: the reference of
    an entailment model or a fact-checker, or `llm:` and the reference of a chat model."""
    unsure_from: float = Field(0.1, ge=0, le=1)
    """The second critic is asked about a statement if the first critic's highest support for it is
    at least `verification.unsure_from` and below `verification.unsure_until`. The second critic
    reads only the passages that the first one gave at least `verification.unsure_from`."""
    unsure_until: float = Field(0.95, ge=0, le=1)
    """See `verification.unsure_from`."""
    verdicts: Literal["checked", "entailment"] = "checked"
    """How statements are judged. `checked`: by the critic and the checks. `entailment`: by the
    critic alone, as in the published system; a statement is supported if its best probability of
    entailment over all passages is above `verification.min_probability`, and the only checks are
    those of `verification.safety_checks` [S4]."""
    safety_checks: bool = True
    """Keep two things out of prompts and answers, with or without a critic: text in documents and
    memories that gives orders to a model (prompt injection), and doses above the maximum in the
    table of daily doses."""
    min_choice_probability: float = Field(0.85, ge=0, le=1)
    """Minimum probability at which the extractive generator chooses an option of a question
    [K5]."""
    always_choose: bool = False
    """Always choose one of several options, without verification: the option nearest to the
    evidence, or the chat model's choice. A note says so [K4]."""

    @field_validator("second_critic")
    @classmethod
    def _is_a_second_critic(cls, reference: str | None) -> str | None:
        if reference is not None and parse(reference).scheme in ("similarity", "extractive"):
            raise SettingError(
                f"verification.second_critic {reference!r} measures how close texts are, not "
                f"whether one entails the other; name an entailment model, or llm: and a chat "
                f"model"
            )
        return reference
