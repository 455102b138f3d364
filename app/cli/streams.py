"""Standard input and output of the command line, whatever they are connected to."""

import codecs
import errno
import io
import json
import sys
from typing import TextIO

from anamnesis import SettingError

FULL = (errno.ENOSPC, errno.EDQUOT)
"""Error numbers of a device without room."""

_ESCAPED = "anamnesis-escaped"


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """The characters that an encoding lacks, as JSON writes them, so that JSON stays valid."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


codecs.register_error(_ESCAPED, _escaped)


def print_any_text() -> None:
    """Print what the terminal's encoding lacks as ``\\u2713``; by default it ends the program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ESCAPED)


def standard_input() -> TextIO:
    """Standard input. Raises SettingError if it is closed."""
    if sys.stdin is None:
        raise SettingError("standard input is closed; connect it to a terminal, a file or a pipe")
    return sys.stdin
