"""Critics: how well passages support statements [S4].

``similarity`` compares a statement with each sentence of a passage. It measures closeness, not
entailment: 'lowers the risk' and 'does not lower the risk' are close. An entailment critic is any
sequence classifier with the labels entailment, neutral and contradiction. ``llm`` asks a chat
model [S5].
"""

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np

from anamnesis.errors import ModelError
from anamnesis.models.embedding import DEFAULT_EMBEDDER, Embedder, load_embedder
from anamnesis.models.once import LoadedObjects
from anamnesis.models.reference import Reference, critic_chat, parse
from anamnesis.models.sentence_vectors import as_embedded, spans_and_texts, vectors_of
from anamnesis.models.support import Support, same_number

__all__ = [
    "DEFAULT_CRITIC",
    "Critic",
    "CriticWrapper",
    "SimilarityCritic",
    "Support",
    "critic_name",
    "load_critic",
]

DEFAULT_CRITIC = "own"


class Critic(Protocol):
    """Judges statements against the passages that may support them [S4]."""

    @property
    def name(self) -> str:
        """The name of the critic for the answer: the method and its model."""

    @property
    def method(self) -> Literal["similarity", "entailment", "llm"]:
        """What the probability means."""

    def judge(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        """For every statement, the support by each of its premises, in order."""


class CriticWrapper:
    """A critic that wraps another one and has its name."""

    def __init__(self, critic: Critic) -> None:
        self._critic = critic

    @property
    def name(self) -> str:
        """The name of the critic."""
        return self._critic.name

    @property
    def method(self) -> Literal["similarity", "entailment", "llm"]:
        """What the probability means."""
        return self._critic.method


class SimilarityCritic:
    """Support = the best cosine, cut to 0..1, between a statement and a premise's sentences."""

    method: Literal["similarity"] = "similarity"

    def __init__(self, embedder: Embedder) -> None:
        self.name = f"similarity:{embedder.reference}"
        self._vectors = vectors_of(embedder)

    def judge(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        """For every statement, the support by each of its premises, in order."""
        same_number(statements, premises)
        cut = {text: spans_and_texts(text) for group in premises for text in group}
        asked = [as_embedded(text) for text in statements]
        texts = list(dict.fromkeys([*asked, *(t for _, item in cut.values() for t in item)]))
        rows = dict(zip(texts, self._vectors(texts), strict=True))
        judged = []
        for statement, group in zip(asked, premises, strict=True):
            supports = []
            for premise in group:
                spans, pieces = cut[premise]
                if not spans or not statement:
                    supports.append(Support(0.0, None, 0, 0))
                    continue
                cosines = np.stack([rows[piece] for piece in pieces]) @ rows[statement]
                best = int(cosines.argmax())
                supports.append(Support(float(np.clip(cosines[best], 0, 1)), None, *spans[best]))
            judged.append(supports)
        return judged


class UnansweredCritic:
    """A critic that could not be loaded, such as one whose server did not answer: it judges
    nothing.
    """

    def __init__(self, reference: str, error: ModelError) -> None:
        self._error = error
        alike = parse(reference).scheme == "similarity"
        self.name = reference if alike else critic_name(reference)
        self.method: Literal["similarity", "entailment"] = "similarity" if alike else "entailment"

    def judge(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        """Raises the error, if there is something to judge."""
        if statements:
            raise self._error
        return []


def critic_name(reference: str) -> str:
    """The name of the critic that a reference names, without loading it; not for ``similarity``."""
    parsed = parse(reference)
    if parsed.scheme != "llm":
        return f"entailment:{parsed}"
    from anamnesis.models.chat import display_name

    return f"llm:{display_name(parse(parsed.name))}"


_loaded = LoadedObjects[str, Critic]()


def load_critic(reference: str = DEFAULT_CRITIC) -> Critic:
    """The critic that a reference names, loaded once per process.

    ``own`` (the project's cross-encoder), another sequence classifier (``hf:roberta-large-mnli``, a
    folder), ``similarity``, ``similarity:EMBEDDER``, or ``llm:CHAT_MODEL``, whose option
    ``max_tokens`` limits each reply. Raises SettingError for an invalid reference, ModelError if
    the model cannot be loaded, its labels do not say which one is entailment, or its window is too
    small to judge in.
    """
    parsed = parse(reference)
    return _loaded.get_or_load(str(parsed), lambda: _load(parsed))


def _load(reference: Reference) -> Critic:
    if reference.scheme == "similarity":
        reference.refuse_options_beyond(())
        return SimilarityCritic(load_embedder(reference.name or DEFAULT_EMBEDDER))
    if reference.scheme == "llm":
        from anamnesis.models.chat import display_name, load_chat
        from anamnesis.models.llm_critic import LLMCritic

        model, most = critic_chat(parse(reference.name))
        return LLMCritic(load_chat(str(model), temperature=0, max_tokens=most), display_name(model))
    from anamnesis.models.entailment import EntailmentCritic

    critic = EntailmentCritic(reference)
    if "adapter" not in reference.options:
        return critic
    from anamnesis.models.window_critic import by_windows

    # A causal model reads a passage once for all statements, and needs no sentences of it.
    return by_windows(critic)
