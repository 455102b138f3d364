"""A context variable that has a value within a block."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

_Value = TypeVar("_Value")


@contextmanager
def setting_variable(variable: ContextVar[_Value], value: _Value) -> Iterator[None]:
    """Within the block, the variable has this value."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
