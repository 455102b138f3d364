"""Code that every part of Anamnesis shares: errors, paths, limits, and the foundations.

    language  English as this program reads it
    corpus    records, and the loaders that read them from data sets
    models    models by reference
    memory    memories of users, questions for experts, cached replies

The graph itself is ``from graph import graph, build_graph``. The files at the top of this folder
are for every other folder. Codes such as [R5] in docstrings name rows of ``docs/systems.md``.
Modules here may import only: each other.
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
    NameTakenError,
    RunError,
    SettingError,
    UnansweredError,
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
    "NameTakenError",
    "RunError",
    "SettingError",
    "UnansweredError",
]
