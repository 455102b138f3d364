"""The head file of the audit log, which names the last entry, and flushing to disk."""

import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from anamnesis.paths import home

HEAD = "ANAMNESIS_AUDIT_HEAD"
"""Environment variable that names another path for the head file, such as on another disk."""

_HEAD_BYTES = 256


class Head(BaseModel):
    """The last entry: its number and hash, its file, and the bytes of the file up to its end."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    n: int
    hash: str
    file: str = Field(pattern=r"^[0-9]{12,}\.jsonl$")
    size: int


def folder() -> Path:
    """The folder of the log."""
    return home() / "audit"


def head_file() -> Path:
    """The path of the head file."""
    chosen = os.environ.get(HEAD)
    return Path(chosen).expanduser().absolute() if chosen else folder() / "head.json"


def read_head() -> Head | None:
    """The last entry according to the head file; None if that is missing or unreadable."""
    try:
        return Head.model_validate_json(head_file().read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def write_head(head: Head) -> None:
    """Overwrite the head file without flushing it: an older head only proves less."""
    path = head_file()
    new = not path.exists()
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as out:
        out.write(head.model_dump_json().ljust(_HEAD_BYTES).encode())
        if new:
            out.flush()
            os.fsync(out.fileno())
    if new:
        keep_name(path)


def keep_name(path: Path) -> None:
    """Flush the directory entry of a file to disk."""
    if os.name == "posix":
        folder_file = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder_file)
        finally:
            os.close(folder_file)


def force(path: Path) -> None:
    """Flush a file to disk. Raises OSError if that fails."""
    file = os.open(path, os.O_RDWR)
    try:
        os.fsync(file)
    finally:
        os.close(file)
