"""Memories from a user's own words, by rules (row M1): few, and only what was said.

Facts, preferences and corrections are stored as quotations, so that no rule can change their
meaning.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from anamnesis.language.lexicon import any_of, listed
from anamnesis.language.negations import NOT
from anamnesis.language.quantities import any_unit
from anamnesis.language.text import sentences
from anamnesis.memory.clauses import clauses
from anamnesis.memory.content import Accepted, Content, Meaning, Said
from anamnesis.memory.reading import entries_of_clause
from anamnesis.memory.record import Kind
from anamnesis.memory.wording import ALLERGIC, BEING, FEEDING, NO_CONDITION


class Note(NamedTuple):
    """What to remember, its kind, and the words of the message that it takes up."""

    kind: Kind
    content: Content
    words: str = ""

    @property
    def text(self) -> str:
        """The text of the memory."""
        return self.content.text


def extract(message: str, earlier: str = "", *, answered: bool = False) -> list[Note]:
    """The memories of one turn of the user, in the order of the kinds question, residual, response.

    ``earlier`` is the user's previous turn, and ``answered`` whether it got an answer with sources.

    - question: abbreviations with their expansion, preferred units and formats, and what users say
    about their health; - residual: the meaning of a question, from 'no, I meant …'; - response:
    that the user was satisfied with the previous answer.
    """
    notes = list(_abbreviations(message))
    for clause in clauses(message):
        if _fact(clause):
            notes.append(Note("question", Said(words=clause), clause))
        elif _PREFERS.match(clause) and _FORM.search(clause):
            notes.append(Note("question", Said(type="prefers", words=clause), clause))
    if earlier:
        notes += [Note("residual", meant) for meant in _corrections(message, earlier)]
        if answered and _CONTENT.fullmatch(message) and not _POLITE.fullmatch(message):
            notes.append(Note("response", Accepted(question=earlier)))
    return list(dict.fromkeys(notes))


_SHORT = r"(?P<short>[A-Z][A-Za-z0-9]{1,7})"
_LONG = r"(?P<long>[A-Za-z][\w'’-]{0,40}+(?:[ ][\w'’-]{1,40}+){1,8})"
_DEFINED = [
    re.compile(rf"\b{_LONG} \({_SHORT}\)"),
    re.compile(rf"\b{_SHORT} \({_LONG}\)"),
    re.compile(rf"\b{_SHORT},? (?:means|stands for|is short for) {_LONG}"),
    re.compile(rf"\b[Bb]y {_SHORT},? I mean {_LONG}"),
]
_SMALL = frozenset([*listed("article", "preposition", without="as at"), "and", "or"])


def _abbreviations(text: str) -> Iterator[Note]:
    """Abbreviations that the text spells out, matched by initials."""
    for start, end in sentences(text):
        sentence = text[start:end]
        if sentence.endswith("?") and not re.search(r"\([^()]+\)", sentence):
            continue  # 'AF means atrial fibrillation?' asks it
        for pattern in _DEFINED:
            for found in pattern.finditer(sentence):
                before = pattern is _DEFINED[0]
                if long := _expansion(short := found["short"], found["long"], from_end=before):
                    yield Note("question", Meaning(type="term", of=short, meaning=long), short)


def _expansion(short: str, words: str, *, from_end: bool) -> str | None:
    """The neighbouring words whose initials form the abbreviation; small words may be skipped."""
    letters = [letter.lower() for letter in short if letter.isalpha()]
    own = words.split()
    if sum(letter.isupper() for letter in short) < 2:
        return None
    for count in range(2, len(own) + 1):
        some = own[-count:] if from_end else own[:count]
        if some[0].lower() in _SMALL or some[-1].lower() in _SMALL:
            continue
        initials = [part[0].lower() for word in some for part in word.split("-") if part]
        large = [
            part[0].lower()
            for word in some
            if word.lower() not in _SMALL
            for part in word.split("-")
            if part
        ]
        if letters in (initials, large):
            return " ".join(some)
    return None


_PREFERS = re.compile(
    r"(i(['’]d| would)? (always )?prefer|(and )?please|(always )?(use|answer|write|reply))\b",
    re.IGNORECASE,
)
_UNITS = any_unit("mg", "mcg", "kg", "lb", "ml", "mg/dl", "mmol/l", without="mg ml")
_FORM = re.compile(
    rf"\b(?:{any_of('asks_for_style')})\s+(?:[\w'’]+\s+){{0,2}}"
    rf"(?:{_UNITS}|mmol/mol|mm ?Hg|kPa|{any_of('style')})\b",
    re.IGNORECASE,
)

_PERIOD = any_of("period", without="second minute hour day")
_SELF = re.compile(
    r"i(?:"
    r"(?:['’]m| am)(?: (?:also|now|not))* "
    rf"(?:(?:{ALLERGIC}) |pregnant\b|(?:{FEEDING})\b|(?:an? )?(?:{'|'.join(BEING)})\b"
    rf"|vegetarian\b|vegan\b|\d{{1,3}}[ -](?:{_PERIOD})s?\b"
    r"|(?:on|taking) (?!my|a diet\b|the\b)\w)"
    r"|(?:['’]ve| have)? (?:was|been) (?:just )?diagnosed with "
    r"|(?: also)? (?:take|use) (?!it\b|that\b|this\b|them\b|care\b|a look\b)\w"
    rf"|(?:['’]ve got|(?: also)? have| do{NOT} have) (?:had |never had )?(?:no |an? |any )?"
    r"(?P<what>[\w-]+))",
    re.IGNORECASE,
)
_ABOUT_OTHERS = re.compile(r"\b(patients?|clients?|friends?|questions?|doubts?)\b", re.IGNORECASE)


def _fact(clause: str) -> bool:
    """Whether a clause says what the user has, takes or is.

    All that the profile reads is a fact. So is what it has no entry for: what the user denies, and
    conditions and medicines that are in no list.
    """
    if _ABOUT_OTHERS.search(clause):
        return False
    if (found := _SELF.match(clause)) and (found["what"] or "").lower() not in NO_CONDITION:
        return True
    return any(entries_of_clause(clause))


_MEANT = re.compile(
    rf"(?:(?:{any_of('refusal')}|sorry|wait|oops|actually)\b[\s,.!–—-]*)+"
    r"(?:what )?i (?:meant|mean|was asking about)"
    r"(?: is| was)?(?: to (?:say|ask))?[\s,:]+(?P<meant>\S.*)",
    re.IGNORECASE,
)


def _corrections(message: str, earlier: str) -> Iterator[Meaning]:
    if found := _MEANT.fullmatch(" ".join(message.split())):
        yield Meaning(type="question", of=earlier, meaning=found["meant"].strip(" .!?"))


_CONTENT = re.compile(
    rf"(?:\W*(?:{any_of('thanks', 'emphasis', 'agreement')}"
    r"|great|perfect|excellent|exactly|wonderful"
    r"|(?:(?:that|this|it)(?:['’]s| is| was) )?(?:exactly |just )?what i (?:needed|wanted)"
    r"|(?:that|this|it) help(?:s|ed)(?: me| a lot)?"
    r"|(?:that|this|it)(?:['’]s| is| was) (?:very )?(?:helpful|clear|great|perfect|a good answer)"
    r"|(?:very )?helpful|good answer|well explained|(?:now )?i understand)\b)+\W*",
    re.IGNORECASE,
)
# Mere courtesy says nothing about the answer.
_POLITE = re.compile(
    rf"(?:\W*(?:{any_of('thanks', 'emphasis', 'agreement')})\b)+\W*", re.IGNORECASE
)
