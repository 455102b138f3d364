"""Limits on what one caller may request, set by the operator.

Each limit is a field of ``Limits`` and an environment variable: ``ANAMNESIS_LIMIT_`` and the
field's name in capitals, such as ``ANAMNESIS_LIMIT_QUESTION=8000``.
"""

import os
from functools import lru_cache

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt, ValidationError

from anamnesis.errors import LimitError, SettingError

PREFIX = "ANAMNESIS_LIMIT_"
"""Prefix of the environment variables."""


class Limits(BaseModel):
    """The limits of an installation."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # Input, wherever the graph runs.
    question: PositiveInt = Field(4000, description="Characters of a question.")
    option: PositiveInt = Field(500, description="Characters of an option, and of its key.")
    options: PositiveInt = Field(26, le=26, description="Options of a question.")
    messages: PositiveInt = Field(
        20, description="Earlier messages of a conversation that are read, counted from the end."
    )
    message: PositiveInt = Field(
        20_000, description="Characters of an earlier message that are read."
    )
    messages_sent: PositiveInt = Field(200, description="Messages that a request may contain.")
    # Calls of chat models.
    model_connect_timeout: PositiveFloat = Field(
        5, description="Seconds until a connection to a provider must be established."
    )
    model_read_timeout: PositiveFloat = Field(
        40, description="Seconds that a provider may send nothing, before or during a reply."
    )
    model_timeout: PositiveFloat = Field(
        60, description="Seconds of a whole call, including retries."
    )
    model_attempts: PositiveInt = Field(3, description="Attempts per call.")
    model_calls_at_once: PositiveInt = Field(16, description="Concurrent calls of one model.")
    model_wait: PositiveFloat = Field(
        3, description="Seconds that a run of the server waits for a model that is not responding."
    )
    model_failures: PositiveInt = Field(
        3, description="Failed calls in a row after which a model is not called for a while."
    )
    model_cooldown: PositiveFloat = Field(
        30, description="Seconds for which such a model is not called."
    )
    # Runs of the server and of the page.
    run_timeout: PositiveFloat = Field(
        120, description="Seconds of a run on the server or on the page."
    )
    run_attempts: PositiveInt = Field(
        2,
        description="How many times a run is started in total, if the server stops during the run.",
    )
    runs_at_once: PositiveInt = Field(
        4, description="Threads of a user that may have a run in progress at the same time."
    )
    runs_a_minute: PositiveInt = Field(60, description="Runs that a user may start per minute.")
    runs_a_day: PositiveInt = Field(5000, description="Runs that a user may start per day.")
    # Requests to the server.
    body: PositiveInt = Field(1_048_576, description="Bytes of a request.")
    body_timeout: PositiveFloat = Field(
        30, description="Seconds within which a request must arrive completely."
    )
    depth: PositiveInt = Field(32, description="Nesting depth of lists and objects in JSON.")
    items: PositiveInt = Field(20_000, description="Values in the JSON of a request.")
    requests_a_minute: PositiveInt = Field(1200, description="Requests per minute with one token.")
    address_requests_a_minute: PositiveInt = Field(
        6000, description="Requests per minute from one address."
    )
    requests_at_once: PositiveInt = Field(
        64, description="Concurrent requests with one token, including streams."
    )
    address_requests_at_once: PositiveInt = Field(
        512, description="Concurrent requests from one address."
    )
    send_timeout: PositiveFloat = Field(
        60,
        description="Seconds that a client may take to read what is sent; then the connection is "
        "closed.",
    )
    wrong_tokens: PositiveInt = Field(
        10, description="Wrong tokens from one address after which it must wait, longer each time."
    )


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
