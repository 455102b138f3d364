"""What an object that is given as a part of the graph must have, and the error if it has not."""

import inspect
from collections.abc import Sequence

from anamnesis.errors import SettingError

_MISSING = object()


def lacking(given: object, names: Sequence[str]) -> list[str]:
    """Those of the attributes that an object lacks; no property is evaluated for it."""
    return [
        name
        for name in names
        if inspect.getattr_static(given, name, _MISSING) is _MISSING
        # What answers to any name has to be asked.
        and not (hasattr(type(given), "__getattr__") and hasattr(given, name))
    ]


def require(part: str, given: object, names: Sequence[str], remedy: str) -> None:
    """Raise SettingError, which names the part and what it lacks, unless it has all attributes."""
    if missing := lacking(given, names):
        what = type(given).__name__
        if isinstance(given, type):
            what = f"the class {given.__name__}, and no object of it,"
        raise SettingError(f"{part}: {what} has no {', '.join(missing)}; {remedy}")
