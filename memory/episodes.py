"""Exchanges of a user, kept in LangGraph's store and found again by cosine similarity [H1].

The owner is part of the namespace at the lowest layer: there is no call that reads or writes
without one.
"""

import uuid
from datetime import UTC, datetime
from typing import Any, Protocol

import numpy as np
from langgraph.store.base import BaseStore
from numpy.typing import NDArray

from anamnesis import SettingError

_PAGE = 1000


class Embedder(Protocol):
    """What episodes need of an embedder: unit vectors of float32, one row a text."""

    @property
    def fingerprint(self) -> str: ...  # noqa: D102
    def embed_queries(self, texts: list[str]) -> NDArray[np.float32]: ...  # noqa: D102


def namespace(owner: str) -> tuple[str, ...]:
    """Where an owner's exchanges lie. Raises ``SettingError`` for an empty owner."""
    if not owner.strip():
        raise SettingError("memories need an owner: set `user`, or authenticate")
    # A namespace may hold no dots, and must not be guessable from another owner's.
    return ("episodes", owner.encode().hex())


def remember(store: BaseStore, owner: str, question: str, answer: str, embedder: Embedder) -> str:
    """Keep one exchange of the owner; the id of the memory comes back."""
    vector = embedder.embed_queries([f"{question} {answer}"])[0]
    key = uuid.uuid4().hex
    store.put(
        namespace(owner),
        key,
        {
            "question": question,
            "answer": answer,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "embedder": embedder.fingerprint,
            "vector": [round(float(value), 6) for value in vector],
        },
        index=False,
    )
    return key


def recall(
    store: BaseStore, owner: str, question: str, embedder: Embedder, *, k: int, threshold: float
) -> list[dict[str, Any]]:
    """The owner's ``k`` exchanges nearest to the question, of cosine ``threshold`` or more.

    Best first; each with id, question, answer, created and ``score`` {"cosine"}. Exchanges that
    another embedder embedded cannot be compared and are passed over.
    """
    place = namespace(owner)
    items: list[Any] = []
    while page := store.search(place, limit=_PAGE, offset=len(items)):
        items.extend(page)
    items = [item for item in items if item.value.get("embedder") == embedder.fingerprint]
    if not items:
        return []
    vectors = np.asarray([item.value["vector"] for item in items], dtype=np.float32)
    cosines = vectors @ embedder.embed_queries([question])[0]
    best = [
        place for place in np.argsort(-cosines, kind="stable")[:k] if cosines[place] >= threshold
    ]
    return [
        {
            "id": items[place].key,
            "question": items[place].value["question"],
            "answer": items[place].value["answer"],
            "created": items[place].value["created"],
            "score": {"cosine": round(float(cosines[place]), 4)},
        }
        for place in best
    ]
