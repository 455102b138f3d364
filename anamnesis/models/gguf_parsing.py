"""Read a GGUF file once."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

_patched = Lock()


@contextmanager
def parsed_once() -> Iterator[None]:
    """In this block, transformers parses a GGUF file once.

    Otherwise it parses the whole file for the configuration, for the tokenizer and for the weights,
    and builds the table of the tensors' names once for every module of the model. That takes most
    of the time in which a small model loads.
    """
    import gguf

    with _patched:
        reader, names = gguf.GGUFReader, gguf.get_tensor_name_map
        gguf.GGUFReader, gguf.get_tensor_name_map = cache(reader), cache(names)  # type: ignore[misc,assignment]
        try:
            yield
        finally:
            gguf.GGUFReader, gguf.get_tensor_name_map = reader, names  # type: ignore[misc]
