"""A server of the project's models, and the form of its errors."""

from collections.abc import Iterator
from typing import Any

import pytest

from app.serving.models import Names, Served
from tests.model_servers import serving


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a server with an embedder, a reader and a critic."""
    served = Served(Names())
    with serving(served) as found:
        yield found
    served.close()


def message_of(path: str, reply: Any) -> str:
    """The message of an error, in the form of the API of a path."""
    if path.endswith("/embeddings"):
        assert set(reply["error"]) == {"message", "type", "param", "code"}
        found = reply["error"]["message"]
    elif path.startswith("/v"):
        found = reply["message"]
    else:
        assert reply["error_type"] in ("Validation", "Overloaded", "Backend")
        found = reply["error"]
    assert isinstance(found, str)
    return found
