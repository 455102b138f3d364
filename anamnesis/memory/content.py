"""What a memory says, in fields, and the text that these are rendered to.

The program reads the fields and never the text. Only ``read_content`` reads a text: one that its
owner edited, or that was stored before there were fields. Nothing is known of any other text, such
as an expert's note.
"""

import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Content(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Said(_Content):
    """The user's own words: a statement, or a preference."""

    type: Literal["said", "prefers"] = "said"
    words: str

    @property
    def text(self) -> str:
        """The text of the memory."""
        return f"The user {self.type}: “{self.words}”"


class Meaning(_Content):
    """What the user means by ``of``: a term, or (``type`` "question") an earlier message."""

    type: Literal["term", "question"]
    of: str
    meaning: str

    @property
    def text(self) -> str:
        """The text of the memory."""
        if self.type == "term":
            return f"“{self.of}” stands for “{self.meaning}”."
        return f"By “{self.of}” the user meant “{self.meaning}”"


class Accepted(_Content):
    """A question whose answer the user was content with."""

    type: Literal["accepted"] = "accepted"
    question: str

    @property
    def text(self) -> str:
        """The text of the memory."""
        return f"The user was content with the answer to “{self.question}”"


class Inferred(_Content):
    """What a chat model inferred from a conversation, in the model's words."""

    type: Literal["inferred"] = "inferred"
    note: str

    @property
    def text(self) -> str:
        """The text of the memory."""
        return f"{_INFERRED}{self.note}"


class Shown(_Content):
    """A statement of an answer, and whether it was checked."""

    text: str
    checked: bool = True


class Exchange(_Content):
    """A question in one line, and the statements of its answer; none if it was not answered."""

    type: Literal["exchange"] = "exchange"
    question: str
    statements: tuple[Shown, ...] = ()

    @property
    def text(self) -> str:
        """The text of the memory: the question and, from the second line on, the reply."""
        return f"{self.question}\n{self.reply}"

    @property
    def reply(self) -> str:
        """The statements, of which the unchecked ones are marked."""
        shown = [item.text + ("" if item.checked else _UNCHECKED) for item in self.statements]
        return " ".join(shown) if shown else _NOT_ANSWERED


Content = Annotated[Said | Meaning | Accepted | Inferred | Exchange, Field(discriminator="type")]

_INFERRED = "Inferred: "
_UNCHECKED = " (not checked)"
_NOT_ANSWERED = "This was not answered."
_SAID = re.compile(r"The user (?P<type>said|prefers): “(?P<words>[^”]+)”\.?")
_TERM = re.compile(r"“(?P<of>[^”]+)” stands for “(?P<meaning>[^”]+)”\.?")
_QUESTION = re.compile(r"By “(?P<of>[^”]+)” the user meant “(?P<meaning>[^”]+)”\.?")
_ACCEPTED = re.compile(r"The user was content with the answer to “(?P<question>[^”]+)”")


def read_content(kind: str, text: str) -> Content | None:
    """The fields that a text of this kind of memory is rendered from, or None.

    In an exchange, "(not checked)" follows an unchecked statement. All text from one such mark to
    the next counts as unchecked, because a text does not show where a statement begins.
    """
    if kind == "profile":  # ``anamnesis.memory.profile`` reads these
        return None
    if kind == "exchange":
        question, _, reply = text.partition("\n")
        *unchecked, checked = reply.split(_UNCHECKED)
        shown = [Shown(text=item.removeprefix(" "), checked=False) for item in unchecked]
        if checked.strip() and reply != _NOT_ANSWERED:
            shown.append(Shown(text=checked.removeprefix(" ") if shown else checked))
        return Exchange(question=question, statements=tuple(shown))
    if found := _SAID.fullmatch(text):
        return Said.model_validate(found.groupdict())
    if found := _TERM.fullmatch(text):
        return Meaning(type="term", **found.groupdict())
    if found := _QUESTION.fullmatch(text):
        return Meaning(type="question", **found.groupdict())
    if found := _ACCEPTED.fullmatch(text):
        return Accepted(question=found["question"])
    if text.startswith(_INFERRED):
        return Inferred(note=text.removeprefix(_INFERRED))
    return None
