"""How urgent a message is, by the project's reader."""

from collections.abc import Callable
from typing import Literal

from anamnesis.models.reading import Triage


def load_triage(name: Literal["own", "patterns"] = "own") -> Callable[[str], Triage] | None:
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
