"""Find by rules what to remember of a user's own words (MARK) [M1].

The rules miss many memories, but never add to what the user said. Facts, preferences and
corrections are stored as quotations, so that no rule can change their meaning.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from anamnesis.language.lexicon import any_of, listed
from anamnesis.language.negations import NOT
from anamnesis.language.quantities import any_unit
from anamnesis.language.text import sentence_texts
from anamnesis.memory.clauses import ALLERGIC, BEING, FEEDING, NO_CONDITION, clauses
from anamnesis.memory.content import Accepted, Content, Meaning, Said
from anamnesis.memory.reading import entries_of_clause
from anamnesis.memory.record import Kind


class ExtractedMemory(NamedTuple):
    """A memory to be made: its kind, its content, and its words in the message.

    ``words`` are the clause or the abbreviation that the memory is from: memories are ordered by
    its place in the message. Other memories, such as a correction, have "".
    """

    kind: Kind
    content: Content
    words: str = ""

    @property
    def text(self) -> str:
        """The text of the memory."""
        return self.content.text


def extract_memories(
    message: str, previous_message: str = "", *, previous_answered: bool = False
) -> list[ExtractedMemory]:
    """What to remember of one message of the user, in the order of the kinds below.

    The kinds have MARK's names [M1]; a memory of the kind ``question`` is no question.
    ``previous_answered`` is whether the user's previous message got an answer with sources.

    - ``question``: what the user supplied: abbreviations with their expansion, preferred units and
      formats, and statements about the user's own health.
    - ``residual``: a correction of the previous message ('no, I meant …').
    - ``response``: the user was satisfied with the answer to the previous message.
    """
    notes = list(_abbreviations(message))
    for clause in clauses(message):
        if _states_fact(clause):
            notes.append(ExtractedMemory("question", Said(words=clause), clause))
        elif _PREFERS.match(clause) and _UNIT_OR_STYLE.search(clause):
            notes.append(ExtractedMemory("question", Said(type="prefers", words=clause), clause))
    if previous_message:
        if found := _MEANT.fullmatch(" ".join(message.split())):
            meant = found["meant"].strip(" .!?")
            correction = Meaning(type="question", of=previous_message, meaning=meant)
            notes.append(ExtractedMemory("residual", correction))
        if previous_answered and _SATISFIED.fullmatch(message) and not _POLITE.fullmatch(message):
            notes.append(ExtractedMemory("response", Accepted(question=previous_message)))
    return list(dict.fromkeys(notes))


_SHORT = r"(?P<short>[A-Z][A-Za-z0-9]{1,7})"
_LONG = r"(?P<long>[A-Za-z][\w'’-]{0,40}+(?:[ ][\w'’-]{1,40}+){1,8})"
_DEFINED = [
    re.compile(rf"\b{_LONG} \({_SHORT}\)"),
    re.compile(rf"\b{_SHORT} \({_LONG}\)"),
    re.compile(rf"\b{_SHORT},? (?:means|stands for|is short for) {_LONG}"),
    re.compile(rf"\b[Bb]y {_SHORT},? I mean {_LONG}"),
]
# 'as' and 'at' are counted in the initials: 'as soon as possible (ASAP)'.
_FUNCTION_WORDS = frozenset([*listed("article", "preposition", without="as at"), "and", "or"])


def _abbreviations(text: str) -> Iterator[ExtractedMemory]:
    """Abbreviations that the text spells out, matched by initials."""
    for sentence in sentence_texts(text):
        if sentence.endswith("?") and not re.search(r"\([^()]+\)", sentence):
            continue  # 'AF means atrial fibrillation?' is a question, not a definition
        for pattern in _DEFINED:
            for found in pattern.finditer(sentence):
                short = found["short"]
                if long := _expansion(short, found["long"], from_end=pattern is _DEFINED[0]):
                    term = Meaning(type="term", of=short, meaning=long)
                    yield ExtractedMemory("question", term, short)


def _expansion(short: str, words: str, *, from_end: bool) -> str | None:
    """The words next to the abbreviation ``short`` that have it as their initials, or None.

    ``_FUNCTION_WORDS`` may be left out of the initials. With ``from_end`` the words are the last
    of ``words``, otherwise the first.
    """
    letters = [letter.lower() for letter in short if letter.isalpha()]
    all_words = words.split()
    # A single capital may just be the first letter of a sentence or a name.
    if sum(letter.isupper() for letter in short) < 2:
        return None
    for count in range(2, len(all_words) + 1):
        candidate = all_words[-count:] if from_end else all_words[:count]
        if candidate[0].lower() in _FUNCTION_WORDS or candidate[-1].lower() in _FUNCTION_WORDS:
            continue
        main = [word for word in candidate if word.lower() not in _FUNCTION_WORDS]
        if letters in (_initials(candidate), _initials(main)):
            return " ".join(candidate)
    return None


def _initials(words: Sequence[str]) -> list[str]:
    return [part[0].lower() for word in words for part in word.split("-") if part]


_PREFERS = re.compile(
    r"(i(['’]d| would)? (always )?prefer|(and )?please|(always )?(use|answer|write|reply))\b",
    re.IGNORECASE,
)
# 'mg' and 'ml' only spelt out: 'use 5 mg' is a dose, not a preferred unit.
_UNITS = any_unit("mg", "mcg", "kg", "lb", "ml", "mg/dl", "mmol/l", without="mg ml")
_UNIT_OR_STYLE = re.compile(
    rf"\b(?:{any_of('asks_for_style')})\s+(?:[\w'’]+\s+){{0,2}}"
    rf"(?:{_UNITS}|mmol/mol|mm ?Hg|kPa|{any_of('style')})\b",
    re.IGNORECASE,
)

_PERIOD = any_of("period", without="second minute hour day")
_ABOUT_SELF = re.compile(
    r"i(?:"
    r"(?:['’]m| am)(?: (?:also|now|not))* "
    rf"(?:(?:{ALLERGIC}) |pregnant\b|(?:{FEEDING})\b|(?:an? )?(?:{'|'.join(BEING)})\b"
    rf"|vegetarian\b|vegan\b|\d{{1,3}}[ -](?:{_PERIOD})s?\b"
    r"|(?:on|taking) (?!my|a diet\b|the\b)\w)"
    r"|(?:['’]ve| have)? (?:was|been) (?:just )?diagnosed with "
    r"|(?: also)? (?:take|use) (?!it\b|that\b|this\b|them\b|care\b|a look\b)\w"
    rf"|(?:['’]ve got|(?: also)? have| do{NOT} have) (?:had |never had )?(?:no |an? |any )?"
    r"(?P<had>[\w-]+))",
    re.IGNORECASE,
)
_NOT_HEALTH_OF_USER = re.compile(
    r"\b(patients?|clients?|friends?|questions?|doubts?)\b", re.IGNORECASE
)


def _states_fact(clause: str) -> bool:
    """Whether a clause states a fact about the user: what the user has, takes or is.

    A clause with a word such as 'patients', 'friend' or 'question' ('I have a question') states
    none. Of the others, these state one: a clause from which the profile would make an entry, a
    denial ('I have no …'), and a clause with a condition or a medicine that is in no word list.
    """
    if _NOT_HEALTH_OF_USER.search(clause):
        return False
    if (found := _ABOUT_SELF.match(clause)) and (found["had"] or "").lower() not in NO_CONDITION:
        return True
    return any(entries_of_clause(clause))


# A correction of the previous message: 'no, I meant …'.
_MEANT = re.compile(
    rf"(?:(?:{any_of('refusal')}|sorry|wait|oops|actually)\b[\s,.!–—-]*)+"
    r"(?:what )?i (?:meant|mean|was asking about)"
    r"(?: is| was)?(?: to (?:say|ask))?[\s,:]+(?P<meant>\S.*)",
    re.IGNORECASE,
)


_SATISFIED = re.compile(
    rf"(?:\W*(?:{any_of('thanks', 'emphasis', 'agreement')}"
    r"|great|perfect|excellent|exactly|wonderful"
    r"|(?:(?:that|this|it)(?:['’]s| is| was) )?(?:exactly |just )?what i (?:needed|wanted)"
    r"|(?:that|this|it) help(?:s|ed)(?: me| a lot)?"
    r"|(?:that|this|it)(?:['’]s| is| was) (?:very )?(?:helpful|clear|great|perfect|a good answer)"
    r"|(?:very )?helpful|good answer|well explained|(?:now )?i understand)\b)+\W*",
    re.IGNORECASE,
)
# A message of thanks or agreement alone does not show that the user was satisfied with the answer.
_POLITE = re.compile(
    rf"(?:\W*(?:{any_of('thanks', 'emphasis', 'agreement')})\b)+\W*", re.IGNORECASE
)
