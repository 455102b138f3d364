"""Errors as callers of a server see them: without file paths and other details.

On the command line and in Python the error itself is shown; on a server its operator finds it in
the log.
"""

import logging

from anamnesis.errors import (
    AnamnesisError,
    CorpusError,
    DataFileError,
    IndexFolderError,
    MemoryFolderError,
    ModelError,
    RunError,
)

_log = logging.getLogger(__name__)

# These name folders and files, and contain messages of libraries.
_OF_THE_DISK = {
    IndexFolderError: "the documents",
    CorpusError: "the documents",
    MemoryFolderError: "the memories",
    DataFileError: "what this server keeps",
    ModelError: "a model of this server",
}


def for_others(error: Exception) -> AnamnesisError:
    """The error for callers of a server: of the same class, without the operator's details.

    Other programs' errors may contain anything and become a RunError. The details are logged.
    """
    for kind, what in _OF_THE_DISK.items():
        if isinstance(error, kind):
            said = f"{what} cannot be used just now; the reason is in the server's log"
            if str(error) == said:
                return error
            _log.error("%s cannot be used: %s", what, error)
            return kind(said)
    if isinstance(error, AnamnesisError):
        return error
    _log.error("a fault that is none of the caller's", exc_info=error)
    return RunError("the server failed; the reason is in its log")
