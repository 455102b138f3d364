"""Limits on what one caller may request, set by the operator.

Each limit is a field of ``Limits`` and an environment variable: ``ANAMNESIS_LIMIT_`` and the
field's name in capitals, such as ``ANAMNESIS_LIMIT_QUESTION=8000``.
"""

import os
from functools import lru_cache

from pydantic import Field, PositiveFloat, PositiveInt, ValidationError

from anamnesis.documented import Documented
from anamnesis.errors import LimitError, SettingError

PREFIX = "ANAMNESIS_LIMIT_"
"""Prefix of the environment variables."""


class Limits(Documented):
    """The limits of an installation."""

    # Input, wherever the graph runs.
    question: PositiveInt = 4000
    """Characters of a question."""
    option: PositiveInt = 500
    """Characters of an option, and of its key."""
    options: PositiveInt = Field(26, le=26)
    """Options of a question."""
    messages: PositiveInt = 20
    """Earlier messages of a conversation that are read, counted from the end."""
    message: PositiveInt = 20_000
    """Characters of an earlier message that are read."""
    messages_sent: PositiveInt = 200
    """Messages that a request may contain."""
    # Calls of chat models.
    model_connect_timeout: PositiveFloat = 5
    """Seconds until a connection to a provider must be established."""
    model_read_timeout: PositiveFloat = 40
    """Seconds that a provider may send nothing, before or during a reply."""
    model_timeout: PositiveFloat = 60
    """Seconds of a whole call, including retries."""
    model_attempts: PositiveInt = 3
    """Attempts per call."""
    model_calls_at_once: PositiveInt = 16
    """Concurrent calls of one model."""
    model_wait: PositiveFloat = 3
    """Seconds that a run of the server waits for a model that is not responding."""
    model_failures: PositiveInt = 3
    """Failed calls in a row after which a model is not called for a while."""
    model_cooldown: PositiveFloat = 30
    """Seconds for which such a model is not called."""
    # Runs of the server and of the page.
    run_timeout: PositiveFloat = 120
    """Seconds of a run on the server or on the page."""
    run_attempts: PositiveInt = 2
    """How many times a run is started in total, if the server stops during the run."""
    runs_at_once: PositiveInt = 4
    """Threads of a user that may have a run in progress at the same time."""
    runs_a_minute: PositiveInt = 60
    """Runs that a user may start per minute."""
    runs_a_day: PositiveInt = 5000
    """Runs that a user may start per day."""
    # Requests to the server.
    body: PositiveInt = 1_048_576
    """Bytes of a request."""
    body_timeout: PositiveFloat = 30
    """Seconds within which a request must arrive completely."""
    depth: PositiveInt = 32
    """Nesting depth of lists and objects in JSON."""
    items: PositiveInt = 20_000
    """Values in the JSON of a request."""
    requests_a_minute: PositiveInt = 1200
    """Requests per minute with one token."""
    address_requests_a_minute: PositiveInt = 6000
    """Requests per minute from one address."""
    requests_at_once: PositiveInt = 64
    """Concurrent requests with one token, including streams."""
    address_requests_at_once: PositiveInt = 512
    """Concurrent requests from one address."""
    send_timeout: PositiveFloat = 60
    """Seconds that a client may take to read what is sent; then the connection is closed."""
    wrong_tokens: PositiveInt = 10
    """Wrong tokens from one address after which it must wait, longer each time."""


_given: Limits | None = None


def use(limits: Limits | None) -> None:
    """Use these limits in this process and ignore the environment; None undoes this."""
    global _given
    _given = limits


def limits() -> Limits:
    """The limits in force. Raises SettingError for an unknown or out-of-range variable."""
    if _given is not None:
        return _given
    return _read(tuple(sorted(item for item in os.environ.items() if item[0].startswith(PREFIX))))


@lru_cache(maxsize=8)
def _read(variables: tuple[tuple[str, str], ...]) -> Limits:
    try:
        return Limits(**{name.removeprefix(PREFIX).lower(): value for name, value in variables})  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        name = f"{PREFIX}{str(first['loc'][0]).upper()}"
        known = ", ".join(field.upper() for field in Limits.model_fields)
        raise SettingError(
            f"the environment variable {name} is not a valid limit ({first['msg']}); names after "
            f"{PREFIX}: {known}"
        ) from None


def check(what: str, number: int, unit: str, most: int, remedy: str) -> None:
    """Raise LimitError, with the limit and a remedy, if ``number`` is over ``most``."""
    if number > most:
        raise LimitError(f"{what} has {number:,} {unit}; at most {most:,} are accepted; {remedy}")
