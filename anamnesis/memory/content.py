"""What a memory says, in fields, and the text that these are rendered to.

The program reads the fields and never the text. A memory without fields is a note in the words of
its writer, such as an expert's; nothing else is known of it.
"""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from anamnesis.memory import profile


class _Content(BaseModel):
    """Fields to fill ``template`` with; the owner of the memory edits the one named ``edits``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    template: ClassVar[str]
    edits: ClassVar[str]

    @property
    def text(self) -> str:
        """The text of the memory."""
        return self.template.format(**dict(self))

    @property
    def editable(self) -> str:
        """The part that the owner of the memory can edit."""
        return str(getattr(self, self.edits))

    def edited(self, part: str) -> Self:
        """The content with another editable part."""
        return self.model_copy(update={self.edits: part})


class Said(_Content):
    """The user's own words: a statement, or a preference."""

    template, edits = "The user {type}: “{words}”", "words"

    type: Literal["said", "prefers"] = "said"
    words: str


class Meaning(_Content):
    """What the user means by ``of``: a term, or (``type`` "question") an earlier message."""

    edits = "meaning"

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

    template, edits = "The user was content with the answer to “{question}”", "question"

    type: Literal["accepted"] = "accepted"
    question: str


class Inferred(_Content):
    """What a chat model inferred from a conversation, in the model's words."""

    template, edits = "Inferred: {note}", "note"

    type: Literal["inferred"] = "inferred"
    note: str


class ProfileEntry(_Content):
    """An entry of the user's profile (``anamnesis.memory.profile``)."""

    template = "{field}: {value}"

    type: Literal["profile"] = "profile"
    field: profile.Field
    value: str

    @field_validator("value")
    @classmethod
    def _is_allowed(cls, value: str, info: ValidationInfo) -> str:
        if "field" not in info.data:  # which is reported
            return value
        return profile.checked_entry(info.data["field"], value).value

    @classmethod
    def entered(cls, text: str) -> Self:
        """The entry that its owner writes as ``field: value``. Raises SettingError."""
        entry = profile.entry(text)
        return cls(field=entry.field, value=entry.value)

    @property
    def editable(self) -> str:
        """The whole text: the owner may also change the field."""
        return self.text

    def edited(self, part: str) -> Self:
        """The entry that the owner writes instead. Raises SettingError."""
        return self.entered(part)


class Shown(BaseModel, extra="forbid", frozen=True):
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
        shown = [item.text + ("" if item.checked else " (not checked)") for item in self.statements]
        return " ".join(shown) if shown else "This was not answered."

    @property
    def editable(self) -> str:
        """The statements."""
        return " ".join(item.text for item in self.statements)

    def edited(self, part: str) -> Self:
        """The exchange with the owner's text, which nothing has checked, as the only statement."""
        return self.model_copy(update={"statements": (Shown(text=part, checked=False),)})


Content = Annotated[
    Said | Meaning | Accepted | Inferred | ProfileEntry | Exchange, Field(discriminator="type")
]
