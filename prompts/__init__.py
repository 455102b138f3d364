"""Prompts as files, and the code that fills them and keeps them within a budget.

What belongs here knows texts and their length, not the state of a run. Modules here may import
only: the files at the top of ``anamnesis``.
"""

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
