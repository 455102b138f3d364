"""How urgent a message is, by the project's reader."""

from collections.abc import Callable
from typing import Literal

from anamnesis.models.reading import Triage


def load_triage(name: Literal["own", "patterns"] = "own") -> Callable[[str], Triage] | None:
    """What reads messages, loaded once a process; None for patterns, which need no model."""
    if name == "patterns":
        return None
    from anamnesis.models.reader import OwnReader
    from anamnesis.models.reranker import load_reranker

    reader = load_reranker("own")
    assert isinstance(reader, OwnReader)
    return reader.triage
