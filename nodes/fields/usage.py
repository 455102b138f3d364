"""Usage of chat models in a turn: calls, tokens and price, by step."""

from collections.abc import Iterable

from typing_extensions import TypedDict


class Spent(TypedDict):
    """Calls of chat models, their tokens and their price.

    ``cached`` calls were answered from the cache and used no tokens. ``price`` and ``currency`` are
    None if the operator's table lacks a model that was called.
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
    """Calls by a step of one chat model with one prompt [H6].

    ``sha256`` is that of the texts of the prompt ``files``. Tokens are those of all ``calls``, as
    the model reports them, or partly ``estimated`` if it does not. ``failed`` calls have no reply.
    """

    files: list[str]
    sha256: str
    model: str


class Session(TypedDict):
    """Usage of all turns of a thread so far, including this one [M10].

    ``words`` are those of the answers' texts; the price is None if that of any turn is. Every
    checkpoint contains it, so it is short.
    """

    turns: int
    words: int
    calls: int
    prompt_tokens: int
    reply_tokens: int
    price: float | None


class Usage(TypedDict):
    """Usage of chat models in a turn: per step, for ``steps`` with calls, and in ``total``.

    ``words`` are those of the answer's text, as the user sees it. ``session`` adds up the turns of
    a thread, which needs a checkpointer; without one it is this turn.
    """

    steps: dict[str, Spent]
    total: Spent
    words: int
    session: Session


def spent(parts: Iterable[Spent]) -> Spent:
    """The sum. Its price is unknown if the price of a part is."""
    found = list(parts)
    prices = [item["price"] for item in found]
    known = [price for price in prices if price is not None]
    whole = len(known) == len(prices)
    return {
        "calls": sum(item["calls"] for item in found),
        "failed": sum(item["failed"] for item in found),
        "cached": sum(item["cached"] for item in found),
        "prompt_tokens": sum(item["prompt_tokens"] for item in found),
        "reply_tokens": sum(item["reply_tokens"] for item in found),
        "estimated": any(item["estimated"] for item in found),
        "price": round(sum(known), 8) if whole else None,
        "currency": next((item["currency"] for item in found if item["currency"]), None)
        if whole
        else None,
    }


def merge(old: dict[str, float], new: dict[str, float]) -> dict[str, float]:
    """Add up the milliseconds of each step; the first step of a turn starts from zero."""
    if "screen" in new:
        return new
    return {**old, **{step: old.get(step, 0.0) + ms for step, ms in new.items()}}


def add_up(old: dict[str, Spent], new: dict[str, Spent]) -> dict[str, Spent]:
    """Add the usage of each step; the first step of a turn starts from zero.

    A step that called no model is left out, because every checkpoint stores the sums.
    """
    before = {} if "screen" in new else old
    sums = {
        step: spent([before[step], item] if step in before else [item])
        for step, item in new.items()
        if item["calls"]
    }
    return {**before, **sums}


def usage(steps: dict[str, Spent], text: str = "", before: Session | None = None) -> Usage:
    """The usage of a turn, from the calls of each step, the answer's text and earlier turns."""
    asked = {step: item for step, item in steps.items() if item["calls"]}
    total, words = spent(asked.values()), len(text.split())
    turn: Session = {
        "turns": 1,
        "words": words,
        "calls": total["calls"],
        "prompt_tokens": total["prompt_tokens"],
        "reply_tokens": total["reply_tokens"],
        "price": total["price"],
    }
    session = _added(before, turn) if before else turn
    return {"steps": asked, "total": total, "words": words, "session": session}


def _added(before: Session, session: Session) -> Session:
    prices = before["price"], session["price"]
    return {
        "turns": before["turns"] + session["turns"],
        "words": before["words"] + session["words"],
        "calls": before["calls"] + session["calls"],
        "prompt_tokens": before["prompt_tokens"] + session["prompt_tokens"],
        "reply_tokens": before["reply_tokens"] + session["reply_tokens"],
        "price": None if None in prices else round(sum(filter(None, prices)), 8),
    }
