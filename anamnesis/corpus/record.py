"""The type that every loader returns and that the index accepts: ``Record``."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, Literal, Self, TypeAlias, get_args

from anamnesis.errors import CorpusError

Kind = Literal["qa", "abstract", "snippet", "mcq", "document", "fact"]
JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"

_KINDS: tuple[str, ...] = get_args(Kind)
SHOWN = ("title", "question", "source", "url")
"""The fields that are shown with the text of a record, or of a passage of it."""
_ORIGIN = ("origin", "sha256")
_SINGLE = (str, bool, int, float)  # asked for first: most values of metadata are texts


@dataclass(frozen=True, slots=True)
class Record:
    """One source of evidence: an answered question, an abstract, a document [H8].

    Args:
        id: Unique in its collection; the id in the data set, if there is one.
        title: What the text is about, as a heading.
        text: The tidied text that is searched and cited. Never blank.
        question: The question that the text answers, if there is one.
        source: Who published it.
        url: The address at which the user can check it.
        focus: The disease, drug or other subject, if known.
        kind: What sort of record it is.
        metadata: All other fields of the data set, as JSON values; read-only at every depth.
        origin: The file it was read from. This and ``sha256`` are not part of the content: equal
            records from two files are equal.
        sha256: That file's SHA-256 in hexadecimal, or blank.

    Raises:
        CorpusError: The id or the text is blank, the kind is unknown, or the metadata are not JSON.
    """

    id: str
    title: str
    text: str
    question: str = ""
    source: str = ""
    url: str = ""
    focus: str = ""
    kind: Kind = "qa"
    metadata: Mapping[str, JSON] = field(default_factory=dict, hash=False)
    origin: str = field(default="", compare=False)
    sha256: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        where = f"Record {self.id!r}"
        if not self.id.strip():
            raise CorpusError("A record has a blank id. Give each record its own id.")
        if not self.text.strip():
            raise CorpusError(f"{where} has no text. Leave records without text out.")
        if self.kind not in _KINDS:
            raise CorpusError(f"{where} has kind {self.kind!r}. Use one of {', '.join(_KINDS)}.")
        object.__setattr__(self, "metadata", _freeze(self.metadata, where))

    @property
    def content_hash(self) -> str:
        """A hash of the content, 32 hex digits, whatever the order of the metadata's keys."""
        said = {name: value for name, value in self.to_json().items() if name not in _ORIGIN}
        canonical = json.dumps(said, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return blake2b(canonical.encode(), digest_size=16).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """All fields as plain dicts, lists, strings and numbers."""
        return {f.name: _thaw(getattr(self, f.name)) for f in fields(self)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of ``to_json``.

        Raises:
            CorpusError: A field is missing or unknown, or a value is not allowed.
        """
        try:
            return cls(**data)
        except TypeError as error:
            raise CorpusError(
                f"This is not a record: {error}. Fields: {', '.join(data)}."
            ) from None

    def __reduce__(self) -> tuple[Any, ...]:
        # A mapping proxy cannot be pickled or copied; its plain form can.
        return type(self).from_json, (self.to_json(),)


def _freeze(value: Any, where: str) -> Any:
    if value is None or isinstance(value, _SINGLE):
        return value
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise CorpusError(f"{where} has metadata with a key that is no string.")
        return MappingProxyType({key: _freeze(item, where) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return tuple(_freeze(item, where) for item in value)
    raise CorpusError(
        f"{where} has metadata of type {type(value).__name__}. "
        "Use strings, numbers, booleans, null, lists and objects."
    )


def _thaw(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {key: _thaw(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_thaw(item) for item in value]
    return value
