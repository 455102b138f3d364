"""The forms of the answer prompt, which decide how documents are written in it."""

from typing import Literal, NamedTuple

FormName = Literal["numbered", "pairs", "facts"]


class Form(NamedTuple):
    """The prompt files without and with options, the heading of the documents, and their marks.

    ``mark`` begins each document; its number replaces ``{n}``. ``option`` is the line of an option;
    its letter replaces ``{key}``.
    """

    files: tuple[str, ...]
    choosing: tuple[str, ...]
    heading: str
    mark: str
    option: str = "{key}. {text}"


FORMS: dict[FormName, Form] = {
    "numbered": Form(("system", "answer"), ("system", "answer", "options"), "Documents", "[{n}] "),
    # Question and answer of each document, as R5's prompt has them.
    "pairs": Form(("pairs",), ("pairs", "options"), "Context", ""),
    # Facts before the question, and the exact words of an option after it [K4].
    "facts": Form(("facts",), ("facts_options",), "Medical facts", "- ", "{text}"),
}

EXAMPLES, REPLY = "\n---\n", "\n=>\n"
"""What separates the examples of a prompt, and in each what is said from the reply to it."""

UNSUPPORTED = "Claims of an earlier draft that no document supported: do not repeat them"
ROUNDS = "Earlier rounds: what was searched for, what was found, and what was answered"
"""The heading of the notes on earlier rounds [S3, S6]."""


def document(form: FormName, number: int, heading: str, text: str) -> str:
    """The text of a document after the form's mark; ``number`` counts from 1."""
    if form == "pairs":
        return f"Q{number}: {heading}\nA{number}: {text}"
    return text if form == "facts" else f"{heading}: {text}"
