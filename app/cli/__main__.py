"""``python -m app.cli`` is the command ``anamnesis``."""

import sys

from app.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
