"""The one type of long-term memory: ``Memory`` [M2]."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal, Self, get_args
from uuid import uuid4

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from anamnesis import MemoryFolderError, SettingError
from anamnesis.errors import problems
from anamnesis.language.text import digest
from anamnesis.memory.content import Content, ProfileEntry
from anamnesis.memory.grounds import Grounds
from anamnesis.memory.profile import Entry
from anamnesis.memory.scores import TRUST_INITIAL, Rating, persistence, retained, trust

Kind = Literal["exchange", "residual", "question", "response", "profile"]
"""``exchange``: a question and its answer, unchanged [H1]. Notes that are refined from one [M1]:
``residual``, what the user meant; ``question``, facts and terms that the user supplied;
``response``, that the user accepted an answer. ``profile``: an entry of the user's profile
(``anamnesis.memory.profile``)."""
Scope = Literal["private", "expert"]
STORED: tuple[Kind, ...] = get_args(Kind)
KINDS: tuple[Kind, ...] = tuple(kind for kind in STORED if kind != "profile")
"""The kinds that are recalled; a profile is checked against answers instead."""
REFINED: tuple[Kind, ...] = KINDS[1:]

LONGEST = 8000
"""Maximum characters of a memory."""

# Not 'a', which can be a name: 'hepatitis A'.
_ARTICLES = frozenset(("an", "the"))
_STOPS = ",;:!?\"'“”‘’()[]"
# A point before a digit is a part of the number: '.5'.
_POINTS = re.compile(r"^\.+(?!\d)|\.+$")


def new_id() -> str:
    """A random id of 32 hex digits."""
    return uuid4().hex


def now() -> datetime:
    """The time in UTC, to the second."""
    return datetime.now(UTC).replace(microsecond=0)


class Memory(BaseModel):
    """A note on a user's words, or an exchange, that is stored [M2].

    ``recalls`` is the recall count (RC), ``correct`` and ``incorrect`` count validations,
    ``trust`` is TS (0 to 1), ``rating`` the last validation. A private memory is seen only by its
    owner. An expert's is shown to everybody who has the same values for all attributes in its
    ``audience``, such as department or location [M9]. A memory that was contradicted is inactive
    and names in ``superseded_by`` the one that counts [M8]. ``words`` is the user's sentence from
    which an entry of the profile was taken, or the message of an exchange. ``grounds`` are the
    cited passages of an exchange; if these no longer support it, the exchange is inactive.
    ``content`` are the fields that the text is rendered from (``anamnesis.memory.content``); None:
    the text is a note that has no fields. The text may be left out where there are fields; of an
    entry of the profile, the fields may be left out.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(default_factory=new_id, pattern="^[0-9a-f]{32}$")
    owner: str
    scope: Scope = "private"
    kind: Kind
    text: str = Field(max_length=LONGEST)
    agent: str = "anamnesis"
    created: datetime = Field(default_factory=now)
    recalls: int = Field(0, ge=0)
    correct: int = Field(0, ge=0)
    incorrect: int = Field(0, ge=0)
    rating: Rating = "unrated"
    trust: float = Field(TRUST_INITIAL, ge=0, le=1)
    audience: dict[str, str] = {}
    superseded_by: str | None = None
    grounds: Grounds | None = None
    words: str = Field("", max_length=LONGEST)
    content: Content | None = Field(None, validate_default=True)

    @field_validator("owner", "text")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("it is blank")
        return value

    @field_validator("created")
    @classmethod
    def _in_utc(cls, value: datetime) -> datetime:
        if value.tzinfo is None:
            raise ValueError("it names no time zone")
        return value.astimezone(UTC)

    @model_validator(mode="before")
    @classmethod
    def _with_text(cls, fields: Any) -> Any:
        if not isinstance(fields, dict):
            return fields
        content, text = fields.get("content"), fields.get("text")
        if fields.get("kind") == "profile" and content is None and str(text or "").strip():
            content = ProfileEntry.entered(str(text))
            return {**fields, "content": content, "text": content.text}
        text = getattr(content, "text", None)
        return {"text": text, **fields} if text is not None else fields

    @field_validator("content")
    @classmethod
    def _of_kind_and_text(cls, value: Content | None, info: ValidationInfo) -> Content | None:
        kind, text = info.data.get("kind"), info.data.get("text")
        if kind is None or text is None:  # which is reported
            return None
        other = value and value.type != kind and {value.type, kind} & {"exchange", "profile"}
        if value and (other or value.text != text):
            raise ValueError(f"a memory of kind {kind!r} with this text has other fields")
        return value

    @model_validator(mode="after")
    def _is_private(self) -> Self:
        if self.kind == "profile" and self.scope != "private":
            raise ValueError("an entry of a profile is private")
        return self

    @property
    def content_key(self) -> str:
        """A digest of its words in order, without case, punctuation, 'an' and 'the'.

        Two memories that differ in a number, a sign, a name or a 'not' never have the same one.
        """
        words = (_without_punctuation(word) for word in self.text.casefold().split())
        return digest(" ".join(word for word in words if word and word not in _ARTICLES))

    @classmethod
    def make(cls, **fields: Any) -> Self:
        """A memory from a caller's values. Raises SettingError naming the field that is wrong."""
        try:
            return cls(**fields)
        except ValidationError as error:
            wrong = "; ".join(problems(error, "JSON"))
            raise SettingError(f"this is not a memory: {wrong}") from error

    @classmethod
    def entered(cls, owner: str, text: str) -> Self:
        """An entry of a profile that its owner writes: ``field: value``. Raises SettingError."""
        return cls.make(owner=owner, kind="profile", content=ProfileEntry.entered(text))

    @classmethod
    def read(cls, stored: str, where: str) -> Self:
        """A memory from its stored JSON, which ``where`` names. Raises MemoryFolderError."""
        try:
            return cls.model_validate_json(stored)
        except ValidationError as error:
            raise MemoryFolderError(
                f"{where}: the memory cannot be read ({'; '.join(problems(error, 'JSON'))}). "
                "Restore the folder from a backup, or delete this memory."
            ) from error

    def seen_by(self, owner: str, audience: Mapping[str, str]) -> bool:
        """Whether it belongs to the owner, or is an expert's for this ``audience`` [M9].

        An expert's memory for a department or location is for users with the same one.
        """
        if self.owner == owner:
            return True
        return self.scope == "expert" and self.audience.items() <= dict(audience).items()

    @property
    def is_active(self) -> bool:
        """Whether it is active: no memory contradicts it [M8], and its sources still support it."""
        return self.superseded_by is None and not (self.grounds and self.grounds.unsupported)

    @property
    def total(self) -> int:
        """C_total: the recall count, but at least the number of validations [M5]."""
        return max(self.recalls, self.correct + self.incorrect)

    @property
    def persistence(self) -> float:
        """PS [M6]."""
        return persistence(self.total, self.incorrect)

    @property
    def retained(self) -> bool:
        """Whether the retention rule keeps it [M7]."""
        return retained(self.trust, self.persistence)

    def validated(self, *, correct: bool) -> Self:
        """A copy after one validation: counts, rating and trust [M5, M8]."""
        counted = self.changed(
            correct=self.correct + correct,
            incorrect=self.incorrect + (not correct),
            rating="good" if correct else "bad",
        )
        return counted.changed(trust=trust(self.trust, counted.total, counted.correct))

    def merged_with(self, other: Self) -> Self:
        """A copy that is active again, with date, words and grounds of a memory with the same
        content [M1, M8].
        """
        return self.changed(
            created=max(self.created, other.created), superseded_by=None, grounds=other.grounds,
            words=other.words,
        )  # fmt: skip

    @property
    def entry(self) -> Entry | None:
        """The entry of the profile that it stores."""
        if not isinstance(self.content, ProfileEntry):
            return None
        return Entry(self.content.field, self.content.value, self.words, self.created)

    @property
    def editable(self) -> str:
        """The part of the text that its owner can edit: all of a text without fields."""
        return self.content.editable if self.content else self.text

    def edited(self, part: str) -> Self:
        """A copy with another editable part, whose counts start again [M5].

        Raises SettingError.
        """
        if not part.strip():
            raise SettingError("the new text is blank; delete the memory instead")
        content = self.content.edited(part) if self.content else None
        return self.changed(
            text=content.text if content else part, content=content, recalls=0, correct=0,
            incorrect=0, rating="unrated", trust=TRUST_INITIAL, superseded_by=None, grounds=None,
            words="",
        )  # fmt: skip

    def changed(self, **fields: Any) -> Self:
        """A copy with other values. Raises SettingError if one is invalid."""
        return self.make(**{**self.model_dump(), **fields})


def _without_punctuation(word: str) -> str:
    """A word without the punctuation around it."""
    while (shorter := _POINTS.sub("", word.strip(_STOPS))) != word:
        word = shorter
    return word
