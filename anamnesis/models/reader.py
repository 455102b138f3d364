"""The project's reader: relevance, the sentences that answer, and urgency in one pass [R4, H5].

It shares tokenizer and configuration with the project's cross-encoder, and is stored like it
(``anamnesis.models.own_weights``). As in Provence (Chirkova et al., ICLR 2025), there is an output
for relevance and one for each token; a sentence's log-odds are the mean over its tokens.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from math import isnan
from typing import Any

import numpy as np

from anamnesis.errors import ModelError
from anamnesis.language.text import sentences
from anamnesis.models import bert_onnx, cpu, own_weights
from anamnesis.models.caching_reader import CachingReader
from anamnesis.models.classifier import Scores
from anamnesis.models.cpu import Precision
from anamnesis.models.cross_encoder import precision_of
from anamnesis.models.embedding import load_embedder
from anamnesis.models.folders import folder_of
from anamnesis.models.harm import harm_probability, texts_to_read
from anamnesis.models.labels import sigmoid, softmax
from anamnesis.models.message_layers import message_outputs
from anamnesis.models.onnx_runtime import cache_of, cached_session, load_tokenizer, quickest
from anamnesis.models.packing import both_ends, means, packed
from anamnesis.models.reading import (
    OUTPUTS,
    POLAR_OUTPUTS,
    URGENCY_KINDS,
    URGENCY_LEVELS,
    Reading,
    Triage,
)
from anamnesis.models.recipe import read_json
from anamnesis.models.reference import Reference
from anamnesis.models.wording import combined

QUESTION = 192
"""Maximum tokens of a question; only the beginning and the end of a longer one are read."""
KINDS = "kinds."
"""Prefix of the tensors of the layer that distinguishes kinds of emergencies."""
_LINEAR = ("weight", "bias")
_LIKELY = 0.05
"""Minimum probability of an emergency for its kind to be reported."""
_WINDOW = 512


def _graph(weights: bert_onnx.Weights, config: Mapping[str, Any], precision: Precision) -> bytes:
    """The reader as an ONNX graph; it may have another number of blocks than the critic."""
    shallow_config = {**config, "num_hidden_layers": own_weights.blocks(weights)}
    return bert_onnx.build_reader(weights, shallow_config, precision)


class OwnReader(CachingReader):
    """The project's reader on onnxruntime; torch is not imported. Safe to share between threads.

    Raises ModelError if its files are missing or damaged.
    """

    def __init__(self, reference: Reference) -> None:
        super().__init__()
        precision = precision_of(reference, "auto")
        folder = folder_of(reference)
        self.name = f"cross-encoder:{reference}"
        config = read_json(folder / "config.json", {})
        cache = cache_of(folder, config, model="reader")
        self._tokenizer = load_tokenizer(folder, cache, None)
        file = folder / own_weights.READER
        chosen = quickest() if precision == "auto" else precision
        self._session = cached_session(
            cache, chosen, 1, lambda: _graph(own_weights.read_whole(file), config, chosen)
        )
        self._pool = ThreadPoolExecutor(cpu.workers(), thread_name_prefix="reader")
        kinds = own_weights.read_stored(file, KINDS)
        self._kind_weights, self._kind_bias = (kinds[f"{KINDS}{part}"] for part in _LINEAR)
        ids = self._tokenizer.token_to_id
        self._start, self._end = ids("[CLS]"), ids("[SEP]")

    def triage(self, message: str) -> Triage:
        """How urgent a message is, by two blocks of the reader and by the words.

        See ``anamnesis.models.message_layers`` and ``anamnesis.models.wording``.
        """
        by_words = texts_to_read(message)
        # Sentences are read at the same time as the message, which never waits for another one's.
        sentences_read = self._pool.map(self.harm, [*by_words][1:])
        last, state = self.message(message)
        middle = message_outputs(state)
        levels = _named(combined(message, last, middle.levels), URGENCY_LEVELS)
        kinds = self._kinds(message) if levels["emergency"] >= _LIKELY else {}
        harm = harm_probability([*by_words.values()], [middle.harm, *sentences_read])
        return Triage(levels, kinds, harm)

    def message(self, text: str) -> tuple[Scores, Scores]:
        """The last block's log-odds of ``URGENCY_LEVELS`` (3,), and the middle block's mean state
        (hidden,).
        """
        ids = [self._start, *both_ends(self._tokens([text])[0], _WINDOW - 2), self._end]
        outputs, _, state = self._run(ids, [0] * len(ids))
        return outputs[_places(URGENCY_LEVELS)], state

    def harm(self, text: str) -> float:
        """The middle block's part of the log-odds that a text mentions self-harm."""
        return message_outputs(self.message(text)[1]).harm

    def _kinds(self, message: str) -> dict[str, float]:
        """The probabilities of the kinds of emergency: a linear layer on the message's vector."""
        vector = load_embedder().embed_queries([message])[0]
        chances = softmax((self._kind_weights @ vector + self._kind_bias)[None])[0]
        return {
            name: round(float(item), 4) for name, item in zip(URGENCY_KINDS, chances, strict=True)
        }

    def _read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        spans = [sentences(text) for _, text in passages]
        texts = [question]
        for (heading, text), item in zip(passages, spans, strict=True):
            texts += [heading, *(text[start:end] for start, end in item)]
        tokens = iter(self._tokens(texts))
        asked = both_ends(next(tokens), QUESTION)
        ends = (self._start, self._end)
        windows = [
            packed(asked, next(tokens), [next(tokens) for _ in item], ends, _WINDOW)
            for item in spans
        ]
        flat = [item for each in windows for item in each]
        runs = self._pool.map(lambda item: self._run(item.ids, item.types), flat)
        found = []
        for item, each in zip(spans, windows, strict=True):
            outputs, by_token, _ = zip(*islice(runs, len(each)), strict=True)
            best = max(outputs, key=lambda one: float(one[0]))
            chances = sigmoid(means(each, by_token, len(item)))
            scored = tuple(
                (start, end, 0.0 if isnan(value) else float(value))
                for (start, end), value in zip(item, chances, strict=True)
            )
            polar = _named(best[_places(POLAR_OUTPUTS)], POLAR_OUTPUTS)
            found.append(Reading(float(sigmoid(best[0])), scored, polar))
        return found

    def _run(self, ids: list[int], types: list[int]) -> tuple[Scores, Scores, Scores]:
        """Outputs (``OUTPUTS``), the log-odds of each token, the middle block's mean state."""
        feeds = {
            "input_ids": np.array([ids], np.int64),
            "token_type_ids": np.array([types], np.int64),
        }
        found = [item[0] for item in self._session.run(None, feeds)]
        if not all(np.isfinite(item).all() for item in found):
            raise ModelError("the reader gave scores that are not numbers; install again")
        outputs, tokens, middle = found
        return outputs, tokens, middle

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        encoded = self._tokenizer.encode_batch_fast(
            [text.encode("utf-8", "replace").decode() for text in texts], add_special_tokens=False
        )
        return [item.ids for item in encoded]


def _places(names: Sequence[str]) -> slice:
    """Where these outputs are among ``OUTPUTS``, which lists them in this order."""
    first = OUTPUTS.index(names[0])
    return slice(first, first + len(names))


def _named(outputs: Scores, names: Sequence[str]) -> dict[str, float]:
    """The probabilities of exclusive outputs by their names."""
    found = softmax(outputs[None])[0]
    return {name: round(float(value), 4) for name, value in zip(names, found, strict=True)}
