"""What every part of Anamnesis shares: errors, paths, text.

The graph itself is ``from graph import graph, build_graph``.
"""

from anamnesis.errors import (
    AnamnesisError,
    CorpusError,
    DataFileError,
    IndexFolderError,
    MemoryFolderError,
    ModelError,
    SettingError,
)

__all__ = [
    "AnamnesisError",
    "CorpusError",
    "DataFileError",
    "IndexFolderError",
    "MemoryFolderError",
    "ModelError",
    "SettingError",
]
