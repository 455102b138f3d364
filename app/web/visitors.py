"""Who sends a request to the page, and which documents that visitor may read."""

import gradio as gr

from app.server.callers import owner_of
from app.users import identity as users
from retrievers.filter import Filter


def identity(request: gr.Request) -> str | None:
    """The authenticated user of the request; None if it is not authenticated."""
    return owner_of(request.request.scope.get("user") if request.request else None)


def readable(request: gr.Request, typed_names: bool) -> Filter:
    """The documents that a visitor may read: of strangers, those without access groups.

    Without ``typed_names`` everybody who is not authenticated is a stranger.
    """
    if identity(request) is None and not typed_names:
        return Filter()
    return users.readable(request.request.scope.get("user") if request.request else None)
