"""The price of chat model calls, from the operator's table ``prices.json`` in the data folder.

    {"currency": "USD", "models": {"openai:gpt-4o-mini": {"prompt": 0.5, "reply": 1.5}}}

Prices are per million tokens, and models are named as in answers. The program contains no prices,
because they change and differ by contract.
"""

import logging
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from anamnesis.errors import SettingError, problems
from anamnesis.paths import home

FILE = "prices.json"
_MILLION = 1_000_000
_Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_log = logging.getLogger(__name__)


class Price(BaseModel):
    """Prices per million tokens."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    prompt: _Amount
    """Price of a million prompt tokens."""
    reply: _Amount
    """Price of a million reply tokens."""

    def of(self, prompt_tokens: int, reply_tokens: int) -> float:
        """The price of these numbers of tokens."""
        return (self.prompt * prompt_tokens + self.reply * reply_tokens) / _MILLION


class Prices(BaseModel):
    """The operator's table."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    currency: str = Field(min_length=1)
    """Currency of the prices, such as USD."""
    models: dict[str, Price]
    """Prices by the model's reference."""


def prices() -> Prices | None:
    """The table in the data folder; None if there is none.

    If it cannot be read, the log says so, prices are unknown, and questions are still answered.
    """
    file = home() / FILE
    try:
        changed = file.stat().st_mtime_ns
    except FileNotFoundError:
        return None
    except OSError:  # the error is logged once, when the file is read
        changed = -1
    return _read(file, changed)


def read_prices(file: Path) -> Prices:
    """The table in a file. Raises SettingError, with the location, if it is invalid."""
    try:
        return Prices.model_validate_json(file.read_bytes())
    except OSError as error:
        raise SettingError(
            f"{file} cannot be read ({error}); make sure that this account may read it"
        ) from error
    except ValidationError as error:
        [problem, *_] = problems(error, "the whole file")
        raise SettingError(
            f"{file} is not a table of prices: {problem}; write "
            '{"currency": "USD", "models": {"MODEL": {"prompt": 0.5, "reply": 1.5}}}'
        ) from None


@lru_cache(maxsize=4)
def _read(file: Path, changed: int) -> Prices | None:
    try:
        return read_prices(file)
    except SettingError as error:
        _log.error("%s", error)
        return None
