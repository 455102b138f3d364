"""The tokens of a text as vectors in their context, by any transformers encoder [H9]."""

from typing import Any

import numpy as np

from anamnesis.errors import ModelError, SettingError
from anamnesis.models.encoder import Vectors, unit
from anamnesis.models.folders import folder_of
from anamnesis.models.reference import parse


class TokenVectors:
    """An encoder by reference: ``package:…``, ``hf:…`` or a folder.

    The vectors are those of the last layer, or with ``?layer=N`` of layer N (0 is the input of the
    first). Raises SettingError for an invalid reference or layer, ModelError if the model cannot be
    loaded.
    """

    def __init__(self, reference: str) -> None:
        parsed = parse(reference)
        parsed.refuse_options_beyond(("revision", "layer"))
        folder = folder_of(parsed)
        from transformers import AutoModel, AutoTokenizer
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
            self._model: Any = AutoModel.from_pretrained(
                folder, local_files_only=True, trust_remote_code=False
            ).eval()
        except Exception as error:  # many kinds: missing files, unknown classes, shapes
            raise ModelError(
                f"model {reference!r} cannot be loaded as an encoder "
                f"({type(error).__name__}: {error}); name one that transformers can load"
            ) from error
        config = self._model.config
        layer = parsed.options.get("layer", str(config.num_hidden_layers))
        if not layer.isdecimal() or int(layer) > config.num_hidden_layers:
            raise SettingError(
                f"model reference {reference!r}: layer={layer!r} must be a number from 0 to "
                f"{config.num_hidden_layers}"
            )
        self._layer = int(layer)
        self._window = min(self._tokenizer.model_max_length, config.max_position_embeddings)

    def __call__(self, text: str) -> Vectors:
        """Unit vectors (tokens, dimensions), special tokens left out.

        A text that is longer than the window is read in pieces of the window's size.
        """
        import torch

        pieces = self._tokenizer(
            text,
            truncation=True,
            max_length=self._window,
            return_overflowing_tokens=True,
            return_special_tokens_mask=True,
        )
        found = []
        for ids, special in zip(pieces["input_ids"], pieces["special_tokens_mask"], strict=True):
            with torch.inference_mode():
                layers = self._model(torch.tensor([ids]), output_hidden_states=True).hidden_states
            found.append(layers[self._layer][0].float().numpy()[np.array(special) == 0])
        return unit(np.concatenate(found))
