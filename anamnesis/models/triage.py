"""How urgent a message is, by the project's reader."""

from collections.abc import Callable
from typing import Literal

from anamnesis.models.reading import Triage

TriageClassifier = Literal["own", "patterns"]
"""What classifies messages: the project's reader together with patterns, or patterns alone."""


def load_triage(name: TriageClassifier = "own") -> Callable[[str], Triage] | None:
    """The model that classifies messages, loaded once per process; None for patterns, which need
    none.
    """
    if name == "patterns":
        return None
    from anamnesis.models.reader import OwnReader
    from anamnesis.models.reranker import load_reranker

    reader = load_reranker("own")
    assert isinstance(reader, OwnReader)
    return reader.triage
