"""Find out what a model server offers, by requests to it."""

from collections.abc import Callable
from typing import NamedTuple

from anamnesis.errors import ModelError, SettingError
from anamnesis.models.embedding import load_embedder
from anamnesis.models.reference import Reference
from anamnesis.models.remote_pairs import RemotePairs
from anamnesis.models.reranker import load_reranker


class Capability(NamedTuple):
    """Whether a part of the program can use the server, and how, or why not."""

    usable: bool
    text: str


def capabilities(reference: Reference) -> dict[str, Capability]:
    """For each part of the program: whether it can use the server."""

    def embedder() -> str:
        found = load_embedder(str(reference))
        return (
            f"{found.dimensions} dimensions, {found.window} tokens, fingerprint "
            f"{found.fingerprint[:12]}"
        )

    def reranker() -> str:
        found = load_reranker(str(reference))
        reads = getattr(found, "reads", False)
        return "reads passages and their sentences" if reads else "scores passages"

    def critic() -> str:
        found = RemotePairs(reference)
        return f"{', '.join(found.labels)}; {found.window} tokens"

    asked: dict[str, Callable[[], str]] = {
        "embedder": embedder,
        "reranker": reranker,
        "critic": critic,
    }
    return {name: _outcome_of(ask) for name, ask in asked.items()}


def _outcome_of(ask: Callable[[], str]) -> Capability:
    try:
        return Capability(True, ask())
    except (ModelError, SettingError) as error:
        return Capability(False, f"none: {error}")
