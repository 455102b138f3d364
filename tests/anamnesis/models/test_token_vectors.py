"""Vectors of tokens, against the model asked directly."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel

from anamnesis.errors import ModelError, SettingError
from anamnesis.models.token_vectors import TokenVectors
from evaluation.wording import bertscore

TEXT = "aspirin treats fever"


def expected(folder: Path, layer: int) -> np.ndarray:
    vocabulary = json.loads((folder / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    ids = [2, *(vocabulary[word] for word in TEXT.split()), 3]
    model = AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        found = model(torch.tensor([ids]), output_hidden_states=True).hidden_states[layer]
    rows = found[0, 1:-1].numpy()
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def test_tokens_have_the_vectors_of_the_last_or_a_named_layer(
    tiny_bert: Callable[..., Path],
) -> None:
    folder = tiny_bert()
    assert TokenVectors(str(folder))(TEXT) == pytest.approx(expected(folder, 2), abs=1e-5)
    assert TokenVectors(f"{folder}?layer=1")(TEXT) == pytest.approx(expected(folder, 1), abs=1e-5)


def test_no_token_of_a_long_text_is_lost(tiny_bert: Callable[..., Path]) -> None:
    vectors = TokenVectors(str(tiny_bert()))
    assert vectors("fever " * 100).shape == (100, 32)
    # Pieces of 46 words: the second begins as the first did.
    assert vectors("fever " * 92)[46:] == pytest.approx(vectors("fever " * 46), abs=1e-5)
    assert vectors("").shape == (0, 32)


def test_equal_texts_have_the_score_1(tiny_bert: Callable[..., Path]) -> None:
    vectors = TokenVectors(str(tiny_bert()))
    assert bertscore(vectors(TEXT), vectors(TEXT)) == pytest.approx((1, 1, 1), abs=1e-5)
    assert bertscore(vectors("kidney pain"), vectors(TEXT)).f1 < 0.99


@pytest.mark.parametrize("layer", ["3", "-1", "last", ""])
def test_a_layer_that_is_none_is_reported(tiny_bert: Callable[..., Path], layer: str) -> None:
    with pytest.raises(SettingError, match="must be a number from 0 to 2"):
        TokenVectors(f"{tiny_bert()}?layer={layer}")


def test_what_is_no_encoder_is_reported(tmp_path: Path, tiny_bert: Callable[..., Path]) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="cannot be loaded as an encoder"):
        TokenVectors(str(tmp_path))
    with pytest.raises(SettingError, match="unknown option 'pooling'"):
        TokenVectors(f"{tiny_bert()}?pooling=cls")
