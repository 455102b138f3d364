"""A server of the project's models."""

from collections.abc import Iterator

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
