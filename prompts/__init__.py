"""Prompts as files, and the code that fills them and keeps them within a budget."""

from prompts.fill import NOT_FOUND, Prompt, conversation, fill, fingerprint, load
from prompts.forms import ROUNDS, UNSUPPORTED, FormName, document
from prompts.replace import Name, replaced

__all__ = [
    "NOT_FOUND",
    "ROUNDS",
    "UNSUPPORTED",
    "FormName",
    "Name",
    "Prompt",
    "conversation",
    "document",
    "fill",
    "fingerprint",
    "load",
    "replaced",
]
