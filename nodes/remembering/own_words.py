"""Quote what users said about themselves in reply to a question about their record [H1, H5].

Their words are a source only for facts about the user: no medical statement is based on them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import product
from typing import NamedTuple

from anamnesis.corpus.passage import Passage
from anamnesis.language.lexicon import any_of
from anamnesis.language.text import sentences, written_date
from anamnesis.language.words import content_stems
from anamnesis.memory.content import Said
from anamnesis.memory.matching import MatchedMemory
from anamnesis.memory.profile import ONE, Entry, Field
from anamnesis.memory.reading import read_profile
from anamnesis.memory.record import Memory, now
from anamnesis.models.embedding import DEFAULT_EMBEDDER, load_embedder
from anamnesis.models.own_record import LEAST, about_own_record
from nodes.checking.statements import quoted
from nodes.fields.recalled import UserQuote
from nodes.remembering.contradictions import Claim, claim_of, opposed
from nodes.state import Statement

SOURCE = "Your memory"
"""The name of the source of the user's own words."""
_MOST = 5
_READ = 20
_TEXTS = 60
"""Maximum texts that are compared with the question."""
_LEAST = 0.25
"""Minimum cosine of the question and the user's words, both without any other text."""
_NEAR = 0.7
"""The same, as a share of the highest cosine of the user's memories."""
# A question about earlier questions; for any other, a question of the user says nothing.
_ASKED = re.compile(r"\b(?:ask(?:ed|ing)?|questions?|topics?|talk(?:ed)?|discuss(?:ed)?)\b", re.I)
_SPEAKER = re.compile(
    r"\b(?:i|mine"
    rf"|{any_of('speaker', 'speaker_object', 'speaker_possessive', without='you your')})\b",
    re.IGNORECASE,
)
_PLAIN: dict[Field, str] = {
    "age": "I am {} years old",
    "sex": "I am {}",
    "pregnancy": "I am {}",
    "allergy": "I am allergic to {}",
    "condition": "I have {}",
    "medicine": "I take {}",
}

# Words with which any entry can be said.
_WORDING = content_stems(
    "I'm I've got, also take, use, am using, suffer from, live with, was just diagnosed with, now, "
    "still, currently, man woman male female year years old"
)


class _Quote(NamedTuple):
    """Words of the user in a memory, and what they say of the user's profile."""

    memory: Memory
    text: str
    entries: Sequence[Entry]

    @property
    def facts(self) -> set[tuple[str, str]]:
        return {(e.field, "" if e.field in ONE else e.value.casefold()) for e in self.entries}

    @property
    def as_statements(self) -> list[str]:
        """Each entry as a statement."""
        return [_PLAIN[item.field].format(item.value) for item in self.entries]

    @property
    def says_more(self) -> bool:
        """Whether the words say more than the entries: 'I take metformin twice a day'."""
        if not self.entries or self.text == self.memory.text:
            return not self.entries
        said = _WORDING | content_stems(" ".join(self.as_statements))
        return not content_stems(self.text) <= said


def quotes_of_user(
    question: str, found: Sequence[MatchedMemory], profile: Callable[[], Sequence[Memory]] = tuple
) -> list[UserQuote]:
    """What the user said that is nearest to a question about their own record, best first.

    ``found`` are memories near the question, ``profile`` gives those of the user's profile. Empty
    for any other question (``anamnesis.models.own_record``), and if nothing is near. Of an
    exchange, only the user's part is quoted. Notes that a model inferred or an expert wrote are not
    the user's words. What another quotation says as well is left out; one that contradicts another
    is added. Raises ModelError if the classifier's weights are missing.
    """
    if about_own_record(question) < LEAST:
        return []
    memories = [one.memory for one in sorted(found, key=lambda one: -one.closeness)]
    memories = [item for item in memories if any(_quotable(item, True))][: 2 * _READ]
    entries = sorted(profile(), key=lambda item: item.created, reverse=True)[:_READ]
    asks = _ASKED.search(question) is not None
    quotes = {
        text: _Quote(item, text, _entries(item, text))
        for item in [*(item for item in entries if item.rating != "bad"), *memories]
        for text in _quotable(item, asks)
    }
    if not quotes:
        return []
    quotes = dict([*quotes.items()][:_TEXTS])
    asked, *vectors = load_embedder(DEFAULT_EMBEDDER).embed_queries([question, *quotes])
    cosines = {text: float(asked @ item) for text, item in zip(quotes, vectors, strict=True)}
    least = max(_LEAST, _NEAR * max(cosines.values()))
    near = [item for item in quotes.values() if cosines[item.text] >= least]
    near.sort(key=lambda item: (-cosines[item.text], item.memory.id))
    chosen = _without_repeats(near)[:_MOST]
    chosen += [
        item for item in quotes.values() if item not in chosen
        and any(_contradict(item, other) for other in chosen)
    ]  # fmt: skip
    return [
        {
            "id": item.memory.id,
            "text": item.text,
            "created": item.memory.created.isoformat(),
            "words": item.memory.words or item.text,
            "notes": [
                _disagreeing(item, other) for other in chosen[place + 1 :]
                if _contradict(item, other)
            ],
        }
        for place, item in enumerate(chosen)
    ]  # fmt: skip


def _quotable(memory: Memory, asks: bool) -> list[str]:
    """The user's words in a memory; none if it does not quote them.

    An entry of the profile that the user typed belongs to no sentence, and is quoted itself. Of
    messages, the statements about the user; all sentences if the question ``asks`` what was asked.
    """
    if memory.kind == "profile":
        return [memory.words or memory.text]
    if memory.scope != "private":
        return []
    if memory.kind == "exchange":
        said = (memory.words[start:end] for start, end in sentences(memory.words))
        return [text for text in said if asks or (_SPEAKER.search(text) and not text.endswith("?"))]
    if memory.kind == "question" and isinstance(memory.content, Said):
        return [memory.content.words]
    return []


def _entries(memory: Memory, text: str) -> Sequence[Entry]:
    if memory.entry and not memory.words:
        return [memory.entry]
    return read_profile(text, memory.created)


def _without_repeats(quotes: Sequence[_Quote]) -> list[_Quote]:
    """The quotations in their order, without those that only say what others say.

    Of those that say the same thing, the one that says more is kept, or else the latest; those that
    contradict each other are all kept.
    """
    kept: list[_Quote] = []
    ranked = sorted(quotes, key=lambda item: item.memory.created, reverse=True)
    for item in sorted(ranked, key=lambda item: (not item.says_more, -len(item.facts))):
        others = [other for other in kept if not _contradict(item, other)]
        known = {fact for other in others for fact in other.facts}
        within = any(item.text.casefold() in other.text.casefold() for other in others)
        if not (within or (not item.says_more and item.facts <= known)):
            kept.append(item)
    return [item for item in quotes if item in kept]


def _contradict(one: _Quote, other: _Quote) -> bool:
    """Whether two quotations cannot both be right now."""
    if one.text == other.text:
        return False
    for mine, theirs in product(one.entries, other.entries):
        if mine.field == theirs.field == "sex" and mine.value != theirs.value:
            return True
        # A birthday may lie between the two.
        if mine.field == theirs.field == "age" and abs(mine.age(now()) - theirs.age(now())) > 1:
            return True
    return any(opposed(*pair) for pair in product(_claims(one), _claims(other)))


def _disagreeing(*both: _Quote) -> str:
    first, second = (
        f"on {written_date(item.memory.created)} (“{item.text}”)"
        for item in sorted(both, key=lambda item: item.memory.created)
    )
    return (
        f"What you said {first} and {second} does not agree. You can edit or delete what is wrong."
    )


def _claims(quote: _Quote) -> Iterator[Claim]:
    """What the words state; a question states nothing."""
    if not quote.text.endswith("?"):
        yield claim_of(quote.text)
    yield from map(claim_of, quote.as_statements)


def statements_of_quotes(quotes: Sequence[UserQuote]) -> tuple[list[Statement], list[Passage]]:
    """A statement for each, which cites the message, sentence or entry as its passage."""
    statements: list[Statement] = []
    passages: dict[str, Passage] = {}
    for item in quotes:
        day = written_date(datetime.fromisoformat(item["created"]))
        text, words = item["text"], item["words"]
        passages[item["id"]] = Passage(
            item["id"], item["id"], 0, len(words), words, title=f"What you said on {day}",
            source=SOURCE,
        )  # fmt: skip
        verb = "asked" if text.endswith("?") else "said"
        start = words.find(text)
        place = (item["id"], start, start + len(text))
        statements.append(quoted(f"You {verb} on {day}: “{text.removesuffix('.')}”.", *place))
    return statements, list(passages.values())
