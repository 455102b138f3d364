"""The server's additional routes together with the web page: ``app`` of ``langgraph.json``."""

from importlib.util import find_spec

from app.server.app import app
from app.server.login import PAGE
from nodes.policy import apply_policy

__all__ = ["app"]

# The page comes with the extra `web`.
if find_spec("gradio") is not None:
    from app.web.page import mount

    # A user name can be typed in only if no tokens are in use: ``Door`` runs before the page.
    mount(app, path=PAGE, policy=apply_policy)
