"""The body of a request: its fields, and the options that are refused by name."""

import json
from collections.abc import Sequence
from typing import Any

from starlette.requests import Request

from anamnesis.errors import AnamnesisError
from anamnesis.language.text import well_formed
from anamnesis.models.classifier import Pair

BODY = 4_194_304
"""Maximum bytes of a request."""
ITEMS = 512
"""Texts, pairs or passages of a request."""

Body = dict[str, Any]


class BadRequestError(AnamnesisError, ValueError):
    """A request in the wrong form for its route, or too large (413)."""

    def __init__(self, message: str, status: int = 422) -> None:
        super().__init__(message)
        self.status = status


async def read_body(request: Request) -> Body:
    """The JSON object of a request. Raises BadRequestError if it is invalid or too large."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > BODY:
            message = f"a request has {BODY} bytes at most; send fewer texts at once"
            raise BadRequestError(message, 413)
        parts.append(part)
    try:
        found = json.loads(b"".join(parts))
    except (ValueError, RecursionError) as error:
        raise BadRequestError("the request is not JSON") from error
    if not isinstance(found, dict):
        raise BadRequestError("the request is not a JSON object")
    return found


def refuse_other(body: Body, name: str, done: Sequence[Any] = ()) -> None:
    """Raise BadRequestError if an option is set to another value than those that are ``done``.

    ``true`` is another value than 1.
    """
    value = body.get(name)
    if value is None or any(type(value) is type(item) and value == item for item in done):
        return
    remedy = " or ".join(["leave it out", *(f"send {json.dumps(item)}" for item in done)])
    raise BadRequestError(f"this server cannot do {name} = {json.dumps(value)[:80]}; {remedy}")


def texts_in(body: Body, name: str) -> list[str]:
    """The texts of a field, which may be one text. Raises BadRequestError for anything else."""
    found = body.get(name)
    found = [found] if isinstance(found, str) else found
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise BadRequestError(f"{name} must be a text or a list of texts")
    return [well_formed(item) for item in _limited(found, name)]


def flag_in(body: Body, name: str, default: bool = False) -> bool:
    """The truth value of a field. Raises BadRequestError if it is none."""
    found = body.get(name)
    if found is None:
        return default
    if not isinstance(found, bool):
        raise BadRequestError(f"{name} must be true or false")
    return found


def choices_in(body: Body, name: str, done: Sequence[str], default: str) -> list[str]:
    """The texts of a field, a list of one or more of those that are ``done``, or one of them.

    Raises BadRequestError for anything else.
    """
    found = body.get(name)
    if found is None:
        return [default]
    kinds = found if isinstance(found, list) else [found]
    if not kinds or None in kinds:
        raise BadRequestError(f"{name} must be a list of one or more of {', '.join(done)}")
    for kind in kinds:
        refuse_other({name: kind}, name, done)
    return kinds


def documents_in(body: Body) -> list[str]:
    """The ``documents`` of a request for scores: texts, or objects with a ``text``."""
    found = body.get("documents")
    if not isinstance(found, list):
        raise BadRequestError("documents must be a list of texts")
    texts = [item.get("text") if isinstance(item, dict) else item for item in found]
    return texts_in({"documents": texts}, "documents")


def text_in(body: Body, name: str) -> str:
    """The text of a field. Raises BadRequestError if it is none."""
    found = body.get(name)
    if not isinstance(found, str):
        raise BadRequestError(f"{name} must be a text")
    return well_formed(found)


def count_in(body: Body, name: str) -> int | None:
    """A number of a field; None if it is missing or 0. Raises BadRequestError for others."""
    found = body.get(name)
    if found is not None and (type(found) is not int or found < 0):
        raise BadRequestError(f"{name} must be a whole number, 0 for all")
    return found or None


def is_one_pair(body: Body, name: str) -> bool:
    """Whether a field has a pair of texts, and not a list of pairs."""
    found = body.get(name)
    return (
        isinstance(found, list) and len(found) == 2 and all(isinstance(item, str) for item in found)
    )


def pairs_in(body: Body, name: str) -> list[Pair]:
    """The pairs of a field, which may be one pair. Raises BadRequestError for anything else."""
    found = [body[name]] if is_one_pair(body, name) else body.get(name)
    if not isinstance(found, list):
        raise BadRequestError(f"{name} must be a list of pairs of texts")
    pairs = []
    for item in _limited(found, name):
        match item:
            case [str(one), str(other)]:
                pairs.append((well_formed(one), well_formed(other)))
            case _:
                raise BadRequestError(f"{name} must be a list of pairs of texts")
    return pairs


def _limited(found: list[Any], name: str) -> list[Any]:
    if not 0 < len(found) <= ITEMS:
        raise BadRequestError(f"{name} has {len(found)} entries; send 1 to {ITEMS} at once")
    return found
