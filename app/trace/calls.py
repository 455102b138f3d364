"""Calls of chat models as lines of a trace."""

from collections.abc import Mapping
from typing import Any


def calls_line(own: Mapping[str, Any]) -> str:
    """The calls of chat models that a step made with one prompt, in one line."""
    model = f", by {own['model']}" if own.get("model") else ""
    asked = f"{' + '.join(own['files']) or 'no prompt file'} {own['sha256'][:12]}"
    return f"{asked}, {spending_line(own)}{model}"


def spending_line(own: Mapping[str, Any]) -> str:
    """Calls, tokens and price in one line; runs recorded by older versions lack some of them."""
    calls = "1 call" if own["calls"] == 1 else f"{own['calls']} calls"
    failed = f", {own['failed']} failed" if own["failed"] else ""
    cached = f", {own['cached']} from the cache" if own.get("cached") else ""
    about = "about " if own["estimated"] else ""
    price = ""
    if own.get("price") is not None and own["calls"]:
        price = f", {own['price']:.6f} {own['currency']}"
    return (
        f"{calls}{failed}{cached}, "
        f"{about}{own['prompt_tokens']} tokens of prompt and {own['reply_tokens']} of reply{price}"
    )
