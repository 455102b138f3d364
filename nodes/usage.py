"""What a turn asked of chat models: calls, tokens and their price, by step."""

from collections.abc import Iterable

# Pydantic, which makes the server's schemas, takes no other before Python 3.12.
from typing_extensions import TypedDict


class Spent(TypedDict):
    """Calls of chat models, the tokens that they took, and their price.

    ``cached`` of the calls were answered from the kept replies, and took no tokens. ``price`` is
    None where it is not known, for the operator's table lacks a model that was asked; so is then
    ``currency``.
    """

    calls: int
    failed: int
    cached: int
    prompt_tokens: int
    reply_tokens: int
    estimated: bool
    price: float | None
    currency: str | None


class Calls(Spent):
    """What a step asked of one chat model with one prompt [H6].

    ``sha256`` is that of the texts of the prompt ``files``; tokens are those of all ``calls``,
    which the model has told, or which are partly ``estimated`` where it told none. Of calls that
    ``failed`` there is no reply.
    """

    files: list[str]
    sha256: str
    model: str


class Usage(TypedDict):
    """What a turn asked of chat models: by ``steps``, of those that asked any, and in ``total``."""

    steps: dict[str, Spent]
    total: Spent


def spent(parts: Iterable[Spent]) -> Spent:
    """The sum. Its price is not known where that of a part is not."""
    found = list(parts)
    prices = [own["price"] for own in found]
    known = [price for price in prices if price is not None]
    whole = len(known) == len(prices)
    return {
        "calls": sum(own["calls"] for own in found),
        "failed": sum(own["failed"] for own in found),
        "cached": sum(own["cached"] for own in found),
        "prompt_tokens": sum(own["prompt_tokens"] for own in found),
        "reply_tokens": sum(own["reply_tokens"] for own in found),
        "estimated": any(own["estimated"] for own in found),
        "price": round(sum(known), 8) if whole else None,
        "currency": next((own["currency"] for own in found if own["currency"]), None)
        if whole
        else None,
    }


def add_up(old: dict[str, Spent], new: dict[str, Spent]) -> dict[str, Spent]:
    """Add up what each step spent; the first step of a turn starts anew.

    A step that asked no model is left out: every checkpoint holds the sums.
    """
    before = {} if "screen" in new else old
    sums = {
        step: spent([before[step], own] if step in before else [own])
        for step, own in new.items()
        if own["calls"]
    }
    return {**before, **sums}


def usage(steps: dict[str, Spent]) -> Usage:
    """The usage of a turn, from what each step spent."""
    asked = {step: own for step, own in steps.items() if own["calls"]}
    return {"steps": asked, "total": spent(asked.values())}
