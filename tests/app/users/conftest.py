"""An audit log."""

from pathlib import Path

import pytest

from app.users import audit
from app.users.audit import Actor, object_name, record

ANN = Actor("ann", "user")


@pytest.fixture
def log(new_home: Path) -> Path:
    """The file of a log with nine entries."""
    for number in range(9):
        record("read", object_name("thread", f"{number:032x}"), actor=ANN)
    [path] = audit.files()
    return path
