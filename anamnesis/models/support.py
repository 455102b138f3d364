"""The judgement of a critic on a statement and a premise."""

from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.errors import SettingError


class Support(NamedTuple):
    """How well one premise supports one statement.

    ``probability`` and ``contradiction`` are between 0 and 1; ``contradiction`` is None if the
    critic does not recognise contradictions. ``premise[start:end]`` is the sentence that best
    explains the judgement, with its neighbour if both are needed. If an entailment critic finds a
    premise neutral, it is the most similar part. ``by`` names the critic if there are two
    (``anamnesis.models.cascade``).
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
