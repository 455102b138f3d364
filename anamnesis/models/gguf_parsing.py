"""Read a GGUF file once."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

import numpy as np

_patched = Lock()


@contextmanager
def parsed_once() -> Iterator[None]:
    """In this block, transformers parses a GGUF file once.

    Otherwise it parses the whole file for the configuration, for the tokenizer and for the weights,
    and builds the table of the tensors' names once for every module of the model. That takes most
    of the time in which a small model loads. The file is read as an ordinary array on its memory
    map: every string of the vocabulary is a slice, which takes a memory map several times as long.
    """
    import gguf

    with _patched:
        reader, names = gguf.GGUFReader, gguf.get_tensor_name_map
        plain = cache(_plain(reader))
        gguf.GGUFReader, gguf.get_tensor_name_map = plain, cache(names)  # type: ignore[misc,assignment]
        try:
            yield
        finally:
            gguf.GGUFReader, gguf.get_tensor_name_map = reader, names  # type: ignore[misc]


def _plain(reader: Any) -> Any:
    """The reader with an ordinary array as its data."""

    class Plain(reader):  # type: ignore[misc]
        @property
        def data(self) -> Any:
            return self._plain_data

        @data.setter
        def data(self, mapped: Any) -> None:
            self._plain_data = np.asarray(mapped)

    return Plain
