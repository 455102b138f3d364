"""Check that an object passed as a part of the graph has the required attributes."""

import inspect
from collections.abc import Sequence

from anamnesis.errors import SettingError

_MISSING = object()


def missing_attributes(given: object, names: Sequence[str]) -> list[str]:
    """The attributes that an object lacks; no property is evaluated."""
    return [
        name
        for name in names
        if inspect.getattr_static(given, name, _MISSING) is _MISSING
        # An object with ``__getattr__`` must be asked.
        and not (hasattr(type(given), "__getattr__") and hasattr(given, name))
    ]


def require(part: str, given: object, names: Sequence[str], remedy: str) -> None:
    """Raise SettingError, naming the part and what it lacks, unless it is an object with all."""
    if isinstance(given, type):
        raise SettingError(f"{part}: {given.__name__} is a class; give an object of it")
    if missing := missing_attributes(given, names):
        raise SettingError(f"{part}: {type(given).__name__} has no {', '.join(missing)}; {remedy}")
