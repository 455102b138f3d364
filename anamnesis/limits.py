"""How much one caller may ask for: limits that the operator sets.

Each is a field of ``Limits`` and an environment variable, ``ANAMNESIS_LIMIT_`` and the field's name
in capitals, such as ``ANAMNESIS_LIMIT_QUESTION=8000``.
"""

import os
from functools import lru_cache

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt, ValidationError

from anamnesis.errors import LimitError, SettingError

PREFIX = "ANAMNESIS_LIMIT_"
"""What the names of the environment variables begin with."""


class Limits(BaseModel):
    """The limits of an installation."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # What is asked, wherever the graph runs.
    question: PositiveInt = Field(4000, description="Characters of a question.")
    option: PositiveInt = Field(500, description="Characters of an option, and of its key.")
    options: PositiveInt = Field(26, le=26, description="Options of a question.")
    messages: PositiveInt = Field(
        20, description="Earlier messages of a conversation that are read, the last ones."
    )
    message: PositiveInt = Field(
        20_000, description="Characters that are read of an earlier message."
    )
    messages_sent: PositiveInt = Field(200, description="Messages that a request may hold.")
    # Calls of chat models.
    model_connect: PositiveFloat = Field(
        5, description="Seconds until a provider takes the connection."
    )
    model_silence: PositiveFloat = Field(
        40, description="Seconds that a provider may send nothing, before and within a reply."
    )
    model_whole: PositiveFloat = Field(
        60, description="Seconds of a call as a whole, with its further tries."
    )
    model_tries: PositiveInt = Field(3, description="Times that a call is tried.")
    model_calls: PositiveInt = Field(16, description="Calls of one model under way at once.")
    model_wait: PositiveFloat = Field(
        3, description="Seconds that a run of the server waits for a model that answers nobody."
    )
    model_failures: PositiveInt = Field(
        3, description="Failed calls in a row after which a model is left alone."
    )
    model_rest: PositiveFloat = Field(30, description="Seconds that such a model is left alone.")
    # Runs of the server and of the page.
    run: PositiveFloat = Field(120, description="Seconds of a run of the server or of the page.")
    run_starts: PositiveInt = Field(
        2,
        description="Starts of a run that the server's end cut off, until it is given up.",
    )
    runs_at_once: PositiveInt = Field(
        4, description="Threads of a user that have a run under way at once."
    )
    runs_a_minute: PositiveInt = Field(60, description="Runs that a user may start in a minute.")
    runs_a_day: PositiveInt = Field(5000, description="Runs that a user may start in a day.")
    # Requests to the server.
    body: PositiveInt = Field(1_048_576, description="Bytes of a request.")
    body_time: PositiveFloat = Field(30, description="Seconds until a request has come as a whole.")
    depth: PositiveInt = Field(32, description="Lists and objects within one another in JSON.")
    items: PositiveInt = Field(20_000, description="Values in the JSON of a request.")
    requests_a_minute: PositiveInt = Field(1200, description="Requests in a minute with one token.")
    address_a_minute: PositiveInt = Field(
        6000, description="Requests in a minute from one address."
    )
    open: PositiveInt = Field(
        64, description="Requests under way at once with one token; streams are among them."
    )
    address_open: PositiveInt = Field(
        512, description="Requests under way at once from one address."
    )
    reader: PositiveFloat = Field(
        60, description="Seconds for a reader to take what is sent; it is then cut off."
    )
    wrong_tokens: PositiveInt = Field(
        10, description="Wrong tokens from one address after which it waits ever longer."
    )


_given: Limits | None = None


def use(limits: Limits | None) -> None:
    """Use these limits in this process, whatever the environment says; None undoes it."""
    global _given
    _given = limits


def limits() -> Limits:
    """The limits in force. Raises SettingError for a variable that is none, or out of range."""
    if _given is not None:
        return _given
    return _read(tuple(sorted(own for own in os.environ.items() if own[0].startswith(PREFIX))))


@lru_cache(maxsize=8)
def _read(variables: tuple[tuple[str, str], ...]) -> Limits:
    try:
        return Limits(**{name.removeprefix(PREFIX).lower(): told for name, told in variables})  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        name = f"{PREFIX}{str(first['loc'][0]).upper()}"
        known = ", ".join(field.upper() for field in Limits.model_fields)
        raise SettingError(
            f"the environment variable {name} is no limit ({first['msg']}); behind {PREFIX} come "
            f"{known}"
        ) from None


def check(what: str, number: int, unit: str, most: int, remedy: str) -> None:
    """Raise LimitError if there is more than the operator allows, with the limit and a remedy."""
    if number > most:
        raise LimitError(f"{what} has {number:,} {unit}, and at most {most:,} are taken; {remedy}")
