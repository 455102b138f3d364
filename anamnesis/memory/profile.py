"""The patient profile: what users say about their health, one entry per fact.

An entry is a memory of the kind ``profile`` with a field and a value, such as ``allergy:
penicillin``, and the user's own sentence in ``words`` (empty: it was entered by hand).
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, NamedTuple, get_args

# Pydantic, which makes the server's schemas, accepts no other TypedDict before Python 3.12.
from typing_extensions import TypedDict

from anamnesis.errors import SettingError

Field = Literal["age", "sex", "pregnancy", "allergy", "condition", "medicine"]
FIELDS: tuple[Field, ...] = get_args(Field)
ONE: tuple[Field, ...] = ("age", "sex")
"""Fields of which only the latest entry counts."""
CHOICES: dict[Field, tuple[str, ...]] = {
    "sex": ("female", "male", "other"),
    "pregnancy": ("pregnant", "breastfeeding"),
}
"""The values of the fields that have a fixed set."""
_OLDEST = 130
_LONGEST = 100


class Warned(TypedDict):
    """A warning: an entry of the user's profile is a reason not to take a medicine.

    The entry is ``field: value``; the medicine is the one that a shown text is about, or that the
    question mentions; ``why`` is the reason, the part of the text that is the same wherever it
    counts.
    """

    entry: str
    medicine: str
    why: str
    text: str


class Entry(NamedTuple):
    """One entry; ``stated`` is when the user said it (None: in this question), ``words`` how.

    If ``mentioned``, the question only mentions it, so it may be about another person.
    """

    field: Field
    value: str
    words: str = ""
    stated: datetime | None = None
    mentioned: bool = False

    @property
    def text(self) -> str:
        """``field: value``."""
        return f"{self.field}: {self.value}"

    def age(self, today: datetime) -> int:
        """The age in years today of an entry of the field ``age``."""
        return int(self.value) + ((today - self.stated).days // 365 if self.stated else 0)


def entry(text: str, words: str = "", stated: datetime | None = None) -> Entry:
    """The entry that its owner writes as ``field: value``.

    Raises SettingError for an unknown field, or a value that the field does not allow.
    """
    name, colon, value = text.partition(":")
    field = next((item for item in FIELDS if item == name.strip().lower()), None)
    if field is None or not colon or not value.strip():
        raise SettingError(
            f"{text!r} is not a profile entry; write 'field: value', where the field is one of "
            f"{', '.join(FIELDS)}"
        )
    return checked_entry(field, value, words, stated)


def checked_entry(
    field: Field, value: str, words: str = "", stated: datetime | None = None
) -> Entry:
    """The entry with a value that the field allows. Raises SettingError for any other value."""
    value = " ".join(value.split())
    if field in CHOICES:
        value = value.lower()
        if value not in CHOICES[field]:
            raise SettingError(f"{field} is one of {', '.join(CHOICES[field])}, not {value!r}")
    if field == "age" and not (value.isascii() and value.isdigit() and int(value) <= _OLDEST):
        raise SettingError(f"age is a number of years from 0 to {_OLDEST}, not {value!r}")
    if len(value) > _LONGEST:
        raise SettingError(f"a {field} has {_LONGEST} characters at most, not {len(value)}")
    return Entry(field, value, words, stated)


def latest(entries: Sequence[Entry]) -> list[Entry]:
    """The valid entries by field: each once; only the first of the age and of the sex.

    The latest of the ``entries`` comes first.
    """
    found: dict[tuple[str, str], Entry] = {}
    for item in entries:
        found.setdefault((item.field, "" if item.field in ONE else item.value.casefold()), item)
    return sorted(found.values(), key=lambda item: FIELDS.index(item.field))
