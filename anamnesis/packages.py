"""Check that the packages imported under our names are ours, not a host program's."""

import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

from anamnesis.errors import NameTakenError

_HERE = Path(__file__).resolve().parents[1]


def require_our_packages(*names: str) -> None:
    """Raise NameTakenError if one of the top-level ``names`` belongs to another program.

    Each of our packages calls this for the packages that it imports, before importing them. If a
    name is not found, the import itself fails with an error.
    """
    for name in names:
        found = _file(name)
        if found is not None and found.resolve().parent.parent != _HERE:
            raise NameTakenError(
                f"Anamnesis needs its package {name!r}, but Python finds {found}. Rename that "
                "one, or run Anamnesis in a separate process, by its command line or its server",
                name=name,
                path=str(found),
            )


def _file(name: str) -> Path | None:
    """The file that is or would be imported under a name."""
    loaded = sys.modules.get(name)
    spec: ModuleSpec | None = getattr(loaded, "__spec__", None)
    if loaded is None:
        spec = find_spec(name)
    origin = spec.origin if spec is not None else getattr(loaded, "__file__", None)
    return Path(origin) if origin else None
