"""What every part of Anamnesis shares: errors, paths, text.

The graph itself is ``from graph import graph, build_graph``.
"""

from anamnesis.errors import (
    AnamnesisError,
    AuditError,
    CorpusError,
    DataFileError,
    IndexFolderError,
    LimitError,
    MemoryFolderError,
    ModelError,
    RunError,
    SettingError,
)

__all__ = [
    "AnamnesisError",
    "AuditError",
    "CorpusError",
    "DataFileError",
    "IndexFolderError",
    "LimitError",
    "MemoryFolderError",
    "ModelError",
    "RunError",
    "SettingError",
]
