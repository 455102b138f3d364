"""Small layers of the project's own."""

from pathlib import Path

import pytest

from anamnesis.errors import ModelError
from anamnesis.models.own_layers import read_layer
from anamnesis.models.question_sentences import WEIGHTS as ASKS


def test_a_layer_is_read_by_the_names_of_its_arrays() -> None:
    stored, _ = read_layer(ASKS)
    assert stored["weight"].shape == (385,)


@pytest.mark.parametrize("content", [None, b"none", b""])
def test_a_layer_that_is_missing_or_damaged_is_named(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / ASKS).write_bytes(content)
    with pytest.raises(ModelError, match=r"asks\.safetensors is missing or damaged"):
        read_layer(ASKS, tmp_path)
