"""Records split into passages that fit the embedder's window, at sentence boundaries."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import accumulate, islice
from typing import Any, Self, cast

from typing_extensions import TypedDict

from anamnesis.corpus.packing import CountTokens, fit_heading, pack
from anamnesis.corpus.record import JSON, Kind, Record
from anamnesis.corpus.weight import TYPE
from anamnesis.errors import CorpusError, SettingError
from anamnesis.language.text import digest

SEPARATOR = " [SEP] "
SPECIAL_TOKENS = 3  # beginning, separator, end
MINIMUM_WINDOW = 16
ALIASES = "aliases"
"""The entry of a record's metadata with other names of its focus: brands and everyday names."""
ASKED_AS = "asked_as"
"""The entry of a record's metadata with questions that it answers, in the words of people who ask
them."""
LABELS = ("date", "access", TYPE, "category", ALIASES, ASKED_AS)
"""The metadata of a record that its passages keep, for filters (``retrievers.filter``), to weigh
sources (``anamnesis.corpus.weight``), to recognise names (``retrievers.aliases``) and to recognise
questions (``retrievers.asked_as``)."""
_EMBEDDED = 500
"""Maximum number of characters of ``Passage.asked_as`` that are embedded. Some embedders refuse a
text that is much longer than a passage."""
_BATCH = 512  # records whose tokens are counted together


class Page(TypedDict):
    """A record as it is named to users; ``title`` is its question, if it has one."""

    id: str
    title: str
    url: str
    source: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a record that is searched and cited: ``record.text[start:end]``.

    Args:
        id: ``record_id#n``, with n from 0.
        record_id: The record that it is part of.
        start: First character in the record's text.
        end: One past the last character.
        text: The passage itself.
        title, question, source, url, focus, kind: The record's.
        heading_end: Characters of the heading that are embedded with the text: all of them, unless
            the heading alone would fill half of the embedder's window.
        names: For a fact: the name and the aliases of each of its two entities.
        metadata: The record's ``LABELS``; for a document of another retriever, all of its metadata.
    """

    id: str
    record_id: str
    start: int
    end: int
    text: str
    title: str = ""
    question: str = ""
    source: str = ""
    url: str = ""
    focus: str = ""
    kind: Kind = "qa"
    heading_end: int | None = None
    names: tuple[tuple[str, ...], ...] = ()
    metadata: Mapping[str, JSON] = field(default_factory=dict, hash=False)

    @property
    def heading(self) -> str:
        """The question if there is one, else the title."""
        return self.question or self.title

    @property
    def page(self) -> Page:
        """The record, as it is named to users."""
        return {
            "id": self.record_id, "title": self.heading, "url": self.url, "source": self.source,
        }  # fmt: skip

    @property
    def indexed(self) -> str:
        """The text that sparse search reads: heading, text, aliases and ``asked_as`` [R1].

        The title comes first, unless the question already contains it.
        """
        title = "" if self.title.casefold() in self.heading.casefold() else self.title
        also = " ".join((*self.aliases, *self.asked_as))
        return " ".join(part for part in (title, self.heading, self.text, also) if part)

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of the focus, under which it is found as well."""
        return self._listed(ALIASES) if self.focus else ()

    @property
    def asked_as(self) -> tuple[str, ...]:
        """Questions that the record answers, in the words of people who ask them."""
        return self._listed(ASKED_AS)

    def _listed(self, name: str) -> tuple[str, ...]:
        listed = self.metadata.get(name)
        if not isinstance(listed, list | tuple):
            return ()
        return tuple(item for item in listed if isinstance(item, str))

    @property
    def embedded(self) -> str:
        """The text that the embedder reads: ``heading [SEP] text`` [R2], and ``asked_as``.

        Passages are packed without these questions, so the last of them may not fit the window; the
        embedder cuts them off.
        """
        heading = self.heading[: self.heading_end].rstrip()
        ends = accumulate(len(item) + 1 for item in self.asked_as)
        asked = [item for item, end in zip(self.asked_as, ends, strict=True) if end <= _EMBEDDED]
        text = " ".join((self.text, *asked))
        return f"{heading}{SEPARATOR}{text}" if heading else text

    @property
    def digest(self) -> str:
        """Identifies the text: it is the same for the same answer in different records."""
        return digest(self.text)

    def to_json(self) -> dict[str, Any]:
        """All fields as JSON values; empty metadata is left out."""
        fields = asdict(self)
        return fields if self.metadata else {k: v for k, v in fields.items() if k != "metadata"}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of ``to_json``.

        Raises:
            CorpusError: A field is missing or unknown.
        """
        try:
            names = tuple(tuple(item) for item in data.get("names", ()))
            return cls(**{**data, "names": names})
        except TypeError as error:
            raise CorpusError(
                f"This is not a passage: {error}. Fields: {', '.join(data)}."
            ) from None


FROM_RECORD = tuple(
    field.name
    for field in fields(Passage)
    if field.name in {of.name for of in fields(Record)} - {"id", "text", "metadata"}
)
"""The fields that a passage takes from its record as they are: title, question and so on."""


def split(record: Record, count_tokens: CountTokens, window: int = 256) -> list[Passage]:
    """The passages of one record; see ``split_all``."""
    return list(split_all([record], count_tokens, window))


def split_all(
    records: Iterable[Record], count_tokens: CountTokens, window: int = 256
) -> Iterator[Passage]:
    """Split records at sentence boundaries into few passages of similar size that fit the window.

    Heading, text and three special tokens fit the window, if the counts of pieces add up to the
    count of the whole (they do for word pieces). A longer sentence is split between words. Every
    character of the text that is not blank is in exactly one passage.

    Args:
        records: Taken in batches, so that any number of them can be streamed.
        count_tokens: Gives the number of tokens of each text, without special tokens.
        window: Tokens that the embedder reads; at least 16.

    Yields:
        The passages, in the order of the records and of their text.
    """
    if window < MINIMUM_WINDOW:
        raise SettingError(
            f"A window of {window} tokens is too small for a passage. Use at least "
            f"{MINIMUM_WINDOW}."
        )
    rest = iter(records)
    while batch := list(islice(rest, _BATCH)):
        yield from _split_batch(batch, count_tokens, window)


def _split_batch(
    batch: Sequence[Record], count_tokens: CountTokens, window: int
) -> Iterator[Passage]:
    headings = fit_heading([r.question or r.title for r in batch], count_tokens, window // 2)
    budgets = [window - SPECIAL_TOKENS - tokens for tokens, _ in headings]
    packed = pack([record.text for record in batch], budgets, count_tokens)
    for record, (_, heading_end), spans in zip(batch, headings, packed, strict=True):
        for number, span in enumerate(spans):
            yield Passage(
                id=f"{record.id}#{number}",
                record_id=record.id,
                start=span.start,
                end=span.end,
                text=record.text[span.start : span.end],
                heading_end=heading_end,
                names=_names(record),
                metadata=labels(record),
                **{name: getattr(record, name) for name in FROM_RECORD},
            )


def labels(record: Record) -> dict[str, JSON]:
    """The metadata of a record that its passages keep; empty labels are left out."""
    said = record.to_json()["metadata"]
    return {name: said[name] for name in LABELS if said.get(name) not in (None, "", [])}


def _names(record: Record) -> tuple[tuple[str, ...], ...]:
    """The names in a fact's metadata; see ``anamnesis.corpus.triplets``."""
    if record.kind != "fact":
        return ()
    return cast(tuple[tuple[str, ...], ...], record.metadata.get("names", ()))
