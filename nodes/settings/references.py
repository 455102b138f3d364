"""References of models in settings."""

from typing import Annotated

from pydantic import AfterValidator

from anamnesis.models.reference import parse


def _valid(reference: str) -> str:
    parse(reference)
    return reference


ModelReference = Annotated[str, AfterValidator(_valid)]
"""The reference of a model. An invalid one is reported at once, not in the middle of a run."""
