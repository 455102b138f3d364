"""References of models in settings."""

from anamnesis.models.reference import parse


def checked_reference(reference: str) -> str:
    """The reference, if it is a valid one: reported at once, not in the middle of a run."""
    parse(reference)
    return reference
