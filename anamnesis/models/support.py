"""What a critic finds of a statement and a premise."""

from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.errors import SettingError


class Support(NamedTuple):
    """How well one premise supports one statement.

    ``probability`` and ``contradiction`` lie in 0..1; ``contradiction`` is None where the critic
    cannot tell. ``premise[start:end]`` is the sentence that speaks most for the judgement, with
    its neighbour where it says it only beside that one; of a premise that an entailment critic
    finds to say nothing, it is the stretch that comes nearest. ``by`` names the critic if there
    are two (``anamnesis.models.cascade``).
    """

    probability: float
    contradiction: float | None
    start: int
    end: int
    by: str = ""


def same_number(statements: Sequence[str], premises: Sequence[Sequence[str]]) -> None:
    """Raise SettingError unless every statement has its group of premises."""
    if len(statements) != len(premises):
        raise SettingError(
            f"{len(statements)} statements but {len(premises)} groups of premises; "
            "give every statement its own group"
        )
