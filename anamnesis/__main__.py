"""The command ``anamnesis``, also ``python -m anamnesis``."""

import sys
from importlib import import_module

from anamnesis.errors import NameTakenError
from anamnesis.packages import require_our_packages


def main() -> int:
    """Run the command; returns its exit status.

    The command is imported by name, because this package is below ``app``, and after a check that
    ``app`` is ours, not a host program's.
    """
    try:
        require_our_packages("app")
    except NameTakenError as error:
        print(f"anamnesis: {error}", file=sys.stderr)
        return 2
    return int(import_module("app.cli.main").main())


if __name__ == "__main__":
    sys.exit(main())
