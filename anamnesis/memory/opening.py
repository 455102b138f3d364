"""The memories of this installation."""

import os

from anamnesis.memory.database import Database, last_forgotten
from anamnesis.memory.replies import expire
from anamnesis.memory.store import Memories
from anamnesis.models.embedding import load_embedder
from anamnesis.paths import default_memory

SERVER = "ANAMNESIS_MEMORY_SERVER"
"""The environment variable that names the Chroma server of the vectors, such as
``http://localhost:8000``."""


def open_memories() -> Memories:
    """The memories in the data folder, with the default embedder.

    An interrupted deletion is finished first. Raises SettingError if the server's address is
    invalid, MemoryFolderError if the folder cannot be used.
    """
    memories = Memories(default_memory(), load_embedder(), os.environ.get(SERVER))
    memories.sweep()
    expire(Database(default_memory()))
    return memories


def forgotten(owner: str) -> float:
    """When all memories of the owner were last deleted, in Unix seconds; 0 if they never were.

    Raises MemoryFolderError if the folder cannot be used.
    """
    base = Database(default_memory())
    if not base.exists():
        return 0.0
    with base.reading() as opened:
        return last_forgotten(opened, owner)
