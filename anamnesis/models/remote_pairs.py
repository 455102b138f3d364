"""A classifier of pairs that a server runs: the critic's model (row S4)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from anamnesis.errors import SettingError
from anamnesis.language.text import well_formed
from anamnesis.models.classifier import CachedPairs, Scores
from anamnesis.models.reference import Reference
from anamnesis.models.remote_client import client_of, length_of, number

_WINDOW = 256
"""Tokens of a pair, if the server does not report them: those of the shipped critic."""
_SPARE = 12
"""Tokens of a window reserved for special tokens, and because joined texts may be split
differently."""
_LEAST = 1e-9


class RemotePairs(CachedPairs):
    """Like ``CrossEncoder``, but the model is on a server with the dialect tei (``/predict``).

    Its outputs are the logarithms of the labels' probabilities.
    """

    def __init__(self, reference: Reference) -> None:
        self._client = client_of(reference)
        if self._client.dialect != "tei":
            raise SettingError(
                f"model reference {str(reference)!r}: a critic needs the dialect tei; write "
                "?api=tei"
            )
        self.reference = str(reference)
        info = self._client.get("/info")
        self.window: int = self._client.window or length_of(info) or _WINDOW
        self.labels: tuple[str, ...] = ()
        super().__init__()
        self.logits([("A fever is a high temperature.", "A fever is a high temperature.")])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text by the shipped tokenizer, plus a fifth."""
        from anamnesis.models.embedding import load_embedder

        return [-(-count * 6 // 5) for count in load_embedder().count_tokens(texts)]

    def room(self, *texts: str) -> int:
        """Tokens left for one text of a pair next to the other one; without arguments, for both
        together."""
        return max(1, self.window - _SPARE - sum(self.count_tokens(texts)))

    def _rows(self, pairs: Sequence[tuple[str, str]]) -> list[Scores]:
        rows: list[Scores] = []
        for part in self._client.batches(pairs):
            texts = [[well_formed(item) for item in pair] for pair in part]
            # Text that the server cut off could deny a statement, so the pair must be refused
            # instead.
            reply = self._client.post("/predict", {"inputs": texts, "truncate": False})
            try:
                if len(reply) != len(part):
                    raise ValueError("another number")
                rows += [self._row(item) for item in reply]
            except (KeyError, TypeError, ValueError) as error:
                raise self._client.protocol_error(
                    "no labels with their scores for each pair"
                ) from error
        return rows

    def _row(self, labels: Any) -> Scores:
        found = {str(item["label"]).strip().casefold(): number(item["score"]) for item in labels}
        self.labels = self.labels or tuple(sorted(found))
        if set(found) != set(self.labels) or not all(0 <= item <= 1 for item in found.values()):
            raise ValueError("other labels, or no probabilities")
        return np.log(np.array([max(found[name], _LEAST) for name in self.labels], np.float32))
