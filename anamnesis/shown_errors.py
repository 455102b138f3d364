"""What is said of an error to those who ask a server: no path of its disk, and no other detail.

Who runs the program reads the error itself, on the command line and in Python; the operator of a
server reads it in the log.
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

# These name folders and files, and what a library says of them.
_OF_THE_DISK = {
    IndexFolderError: "the documents",
    CorpusError: "the documents",
    MemoryFolderError: "the memories",
    DataFileError: "what this server keeps",
    ModelError: "a model of this server",
}


def for_others(error: Exception) -> AnamnesisError:
    """The error for those who ask a server: of the same class, without what is the operator's.

    An error that is none of ours may name anything, and becomes a RunError. What is left out goes
    to the log.
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
