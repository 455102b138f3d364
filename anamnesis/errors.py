"""The errors that a user of Anamnesis should read.

Every message says what was wrong, where, and how to correct it. They have a second base because the
LangGraph server shows the messages of ``ValueError`` and ``RuntimeError``, and hides those of other
exceptions.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # pydantic takes a while to import
    from pydantic import ValidationError


def problems(error: "ValidationError", whole: str = "") -> list[str]:
    """What a validation found, as ``field: problem``; ``whole`` names what has no field."""
    return [
        ": ".join(filter(None, (place or whole, item["msg"].removeprefix("Value error, "))))
        for item in error.errors(include_input=False, include_url=False)
        for place in [".".join(map(str, item["loc"]))]
    ]


class AnamnesisError(Exception):
    """Base of every error that Anamnesis raises on purpose."""


class SettingError(AnamnesisError, ValueError):
    """A setting, an argument or a model reference is wrong."""


class LimitError(SettingError):
    """The input is longer, or more, than the operator's limits allow."""


class CorpusError(AnamnesisError, ValueError):
    """A data file cannot be read as the format it was given as."""


class IndexFolderError(AnamnesisError, RuntimeError):
    """An index folder is missing, was made with other settings, or is damaged."""


class MemoryFolderError(AnamnesisError, RuntimeError):
    """A memory folder is damaged or too new, or its memories cannot be written or read."""


class AuditError(AnamnesisError, RuntimeError):
    """The audit log cannot be written or read."""


class DataFileError(AnamnesisError, RuntimeError):
    """A file of the data folder is damaged or in use: threads, the store, tokens, a trace."""


class ModelError(AnamnesisError, RuntimeError):
    """A model cannot be loaded, or its reply has the wrong form."""


class UnansweredError(ModelError):
    """A model that a server or a provider runs did not answer, or not in the form of its API."""


class RunError(AnamnesisError, RuntimeError):
    """A run took too long, or was given up because the server ended each time it ran."""


class NameTakenError(AnamnesisError, ImportError):
    """Python finds another program's package under the name of one of Anamnesis' packages."""
