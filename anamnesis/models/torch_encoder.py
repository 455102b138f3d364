"""Encoders that are not plain BERT, through sentence-transformers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anamnesis.errors import ModelError
from anamnesis.models.encoder import Progress, Vectors

_CHUNK = 512


class TorchEncoder:
    """Any model that sentence-transformers can load from a folder."""

    def __init__(self, folder: Path, pooling: str | None) -> None:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        try:
            if pooling in ("cls", "mean"):
                self._model: Any = _with_pooling(folder, pooling)
            else:
                self._model = SentenceTransformer(str(folder), local_files_only=True)
        except Exception as error:  # many kinds: missing files, unknown classes, shapes
            raise ModelError(
                f"sentence-transformers cannot load the model in {folder} "
                f"({type(error).__name__}: {error}); name a folder that it can load"
            ) from error
        self.window = int(self._model.max_seq_length or 512)
        self.dimensions = int(self._model.get_embedding_dimension() or 0)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text without special tokens, however long it is."""
        if not texts:
            return []
        found = self._model.tokenizer(list(texts), add_special_tokens=False, verbose=False)
        return [len(ids) for ids in found["input_ids"]]

    def encode(self, texts: Sequence[str], bulk: bool, progress: Progress | None) -> Vectors:
        """Vectors (n, dimensions); ``bulk`` makes no difference here."""
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), _CHUNK):
            part = list(texts[start : start + _CHUNK])
            vectors[start : start + len(part)] = self._model.encode(
                part, prompt="", show_progress_bar=False, convert_to_numpy=True
            )
            if progress is not None:
                progress(len(part))
        return vectors


def _with_pooling(folder: Path, pooling: str) -> Any:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    plain = {"trust_remote_code": False}  # else it would be asked for on the terminal
    transformer = Transformer(
        str(folder), model_kwargs=dict(plain), processor_kwargs=dict(plain), config_kwargs=plain
    )
    size = transformer.get_embedding_dimension()
    return SentenceTransformer(modules=[transformer, Pooling(size, pooling_mode=pooling)])
