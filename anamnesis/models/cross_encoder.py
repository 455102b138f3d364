"""Scores of text pairs by a sequence classifier [R4, S4]."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from anamnesis.errors import ModelError
from anamnesis.language.text import well_formed
from anamnesis.models.classifier import (
    CachedPairs,
    Classifier,
    OverlongPairError,
    Scores,
    open_classifier,
)
from anamnesis.models.cpu import ChosenPrecision, named_precision, refuse_overflow
from anamnesis.models.folders import folder_of
from anamnesis.models.once import LoadedObjects
from anamnesis.models.reference import SERVED, Reference, parse

# Tokens kept free in a window: joined texts can be split into tokens a little differently.
_SPARE = 4


def precision_of(reference: Reference, usual: ChosenPrecision) -> ChosenPrecision:
    """The precision that a reference names, which has no options beyond it and the revision.

    Raises SettingError for another option, for an unknown precision, and for ``int8`` on a
    processor whose results would be wrong.
    """
    reference.refuse_options_beyond(("revision", "precision"))
    precision = named_precision(reference, usual)
    if precision == "int8":
        refuse_overflow(f"model reference {str(reference)!r}")
    return precision


class PairClassifier(Protocol):
    """Scores pairs of texts: ``CrossEncoder``, or a server's model."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of its outputs in order, in lower case."""

    @property
    def window(self) -> int:
        """Tokens of a pair, special tokens included."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special tokens not counted."""

    def room(self, *texts: str) -> int:
        """Tokens left for one text of a pair next to the other one; without arguments, for both
        together."""

    def refuse_overlong(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Raise OverlongPairError if ``logits`` would cut one of the pairs."""

    def logits(self, pairs: Sequence[tuple[str, str]]) -> Scores:
        """Raw outputs (n, labels) of pairs that fit the window.

        Raises OverlongPairError if a server refuses a pair as too long; ``window`` is smaller then.
        """


class CrossEncoder(CachedPairs):
    """A sequence classifier over pairs of texts; load it with ``load_cross_encoder``.

    ``labels`` are the names of its outputs in order, in lower case; one output needs no name.
    ``window`` is the number of tokens of a pair, special tokens included. Safe to share
    between threads.
    """

    def __init__(self, reference: Reference) -> None:
        self._model = _classifier(reference)
        self.reference = str(reference)
        self.labels = tuple(label.strip().casefold() for label in self._model.labels)
        self.window = self._model.window
        super().__init__()

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special tokens not counted."""
        return self._model.count_tokens([well_formed(text) for text in texts]) if texts else []

    def room(self, *texts: str) -> int:
        """Tokens left for one text of a pair next to the other one; without arguments, for both
        together."""
        left = self.window - self._model.frame - _SPARE - sum(self.count_tokens(texts))
        return max(1, left)

    def refuse_overlong(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Raise OverlongPairError if ``logits`` would cut one of the pairs."""
        sizes = self.count_tokens([text for pair in pairs for text in pair])
        longest = max(map(sum, zip(sizes[::2], sizes[1::2], strict=True)), default=0)
        most = self.window - self._model.frame - _SPARE
        if longest > most:
            raise OverlongPairError(
                f"a pair of texts has {longest} tokens, and the model reads {most}; send shorter "
                "texts, or have them cut (truncate)"
            )

    def _rows(self, pairs: Sequence[tuple[str, str]]) -> list[Scores]:
        rows = self._model.logits([(well_formed(a), well_formed(b)) for a, b in pairs])
        if not np.isfinite(rows).all():
            raise ModelError(f"model {self.reference!r} gave scores that are not numbers")
        # Copies: a row of the batch would keep the whole batch alive.
        return [row.copy() for row in rows]


def _classifier(reference: Reference) -> Classifier:
    if "adapter" in reference.options:
        from anamnesis.models.adapted import AdaptedClassifier

        return AdaptedClassifier(reference)
    # Other models keep their published outputs unless the reference says otherwise.
    precision = precision_of(reference, "auto" if reference.scheme == "own" else "float32")
    return open_classifier(folder_of(reference), str(reference), precision)


_loaded = LoadedObjects[str, PairClassifier]()


def load_cross_encoder(reference: str) -> PairClassifier:
    """The sequence classifier that a reference names, loaded once per process.

    Raises SettingError for an invalid reference, ModelError if it cannot be loaded.
    """
    parsed = parse(reference)
    return _loaded.get_or_load(str(parsed), lambda: _load(parsed))


def _load(reference: Reference) -> PairClassifier:
    if reference.scheme in SERVED:
        from anamnesis.models.remote_pairs import RemotePairs

        return RemotePairs(reference)
    return CrossEncoder(reference)
