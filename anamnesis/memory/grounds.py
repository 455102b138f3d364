"""The *grounds* of a stored answer: its cited passages, as digests of their texts."""

from pydantic import BaseModel, ConfigDict


class Grounds(BaseModel):
    """The cited passages of an exchange, and the result of verifying it again.

    ``place`` identifies the index and ``corpus`` its contents at the last verification;
    ``passages`` maps the ids of the cited passages to the digests of their texts. ``unsupported``
    are the statements that the sources no longer support; ``noticed`` says whether the owner has
    been informed. ``whole`` says whether the question and the reply contain nothing but what the
    user wrote and what these passages say, so that who may read the passages may read the exchange.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    place: str
    corpus: str
    passages: dict[str, str]
    unsupported: tuple[str, ...] = ()
    noticed: bool = False
    whole: bool = False
