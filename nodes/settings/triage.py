"""How urgent messages are found and answered."""

from anamnesis.documented import Documented
from anamnesis.models.reference import TriageClassifier


class TriageSettings(Documented):
    """How urgent messages are found, and whose help lines are named."""

    classifier: TriageClassifier = "own"
    """How the urgency of a message is classified: `own` (the project's reader model together with
    patterns for red flags), or `patterns` alone."""
    country: str | None = None
    """Country (two letters) whose emergency number, crisis line and poison centre are named.
    Default: those of several countries."""
