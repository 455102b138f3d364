"""A classifier of pairs that a server runs: the critic's model [S4]."""

import logging
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from anamnesis.errors import SettingError
from anamnesis.language.text import well_formed
from anamnesis.models.classifier import CachedPairs, OverlongPairError, Scores
from anamnesis.models.reference import Reference
from anamnesis.models.remote_client import LEAST_WINDOW, TooLargeError, client_of, number, window_of

_WINDOW = 256
"""Tokens of a pair, if the server does not report them: those of the shipped critic."""
_SPARE = 12
"""Tokens of a window reserved for special tokens, and because joined texts may be split
differently."""
_LEAST = 1e-9
_log = logging.getLogger(__name__)


class RemotePairs(CachedPairs):
    """Like ``CrossEncoder``, but the model is on a server with the dialect tei (``/predict``).

    Its outputs are the logarithms of the labels' probabilities. If the server refuses a pair as too
    long, because it counts more tokens than this program does, ``window`` becomes smaller, and
    ``logits`` raises OverlongPairError: the caller must divide the text again.
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
        self.window: int = self._client.window or window_of(info, "critic") or _WINDOW
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

    def refuse_overlong(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Nothing: the server counts its tokens itself, and refuses what does not fit."""

    def _rows(self, pairs: Sequence[tuple[str, str]]) -> list[Scores]:
        return [row for part in self._client.batches(pairs) for row in self._request_rows(part)]

    def _request_rows(self, pairs: Sequence[tuple[str, str]]) -> list[Scores]:
        texts = [[well_formed(item) for item in pair] for pair in pairs]
        try:
            # Text that the server cut off could deny a statement, so the pair must be refused
            # instead.
            reply = self._client.post("/predict", {"inputs": texts, "truncate": False})
        except TooLargeError as error:
            if len(pairs) == 1:
                self._shorten_window(pairs[0], error)
            for pair in pairs:  # is one of them too long, or are they too many?
                self._request_rows([pair])
            raise
        try:
            if len(reply) != len(pairs):
                raise ValueError("another number")
            return [self._row(item) for item in reply]
        except (KeyError, TypeError, ValueError) as error:
            raise self._client.protocol_error(
                "no labels with their scores for each pair"
            ) from error

    def _shorten_window(self, pair: tuple[str, str], error: TooLargeError) -> NoReturn:
        """Make the window smaller than a refused pair, and raise OverlongPairError.

        Raises the error itself if the pair is so short that its length is not the reason.
        """
        size = sum(self.count_tokens(pair)) + _SPARE
        smaller = min(self.window - 1, size * 4 // 5)
        if smaller < LEAST_WINDOW:
            raise error
        self.window = smaller
        _log.warning("%s refused a pair; its window is now %d tokens", self.reference, smaller)
        raise OverlongPairError(str(error)) from error

    def _row(self, labels: Any) -> Scores:
        found = {str(item["label"]).strip().casefold(): number(item["score"]) for item in labels}
        self.labels = self.labels or tuple(sorted(found))
        if set(found) != set(self.labels) or not all(0 <= item <= 1 for item in found.values()):
            raise ValueError("other labels, or no probabilities")
        return np.log(np.array([max(found[name], _LEAST) for name in self.labels], np.float32))
