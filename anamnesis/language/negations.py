"""Find the words that a text negates, and where a statement and its source differ in negation."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from anamnesis.language.borders import border
from anamnesis.language.lexicon import any_of, listed
from anamnesis.language.text import sentences, straight, tokenize
from anamnesis.language.words import FUNCTION_WORDS, stem

NOT = r"(?:\s*not|(?<!ca)n['’]?t|(?<=can)['’]?t)"
"""What negates the auxiliary before it, as a pattern: 'is not', 'isn't', 'isnt'."""


def negating(without: str = "") -> str:
    """The words that negate, but for those in ``without``, as alternatives of a pattern."""
    contracted = rf"\w{{1,20}}n['’]t|(?:{any_of('do', 'be', 'have')}|ca|wo|should|would|could)nt"
    return f"{any_of('negation', without=without)}|{contracted}"


_NEGATION = re.compile(
    # 'No more than' compares; 'no longer' negates.
    rf"\b((?:no|not)(?! (?:{any_of('comparing')})\b)"
    rf"|{negating(without='no not')}|{any_of('lacking')})\b",
    re.IGNORECASE,
)
# Words that deny without a negation: text near them is not compared.
_LIMITS = re.compile(
    rf"\b(?:{any_of('limiting', 'false_word')}|un\w{{4,20}}|\w{{1,20}}less)\b", re.IGNORECASE
)
# Source wordings that a negation may paraphrase: 'cannot' for 'the inability to'.
_REWORDED = re.compile(rf"\b(?:{any_of('rewording')})\b", re.IGNORECASE)
# A yes or no to a question that is not in the statement: 'No, it is common.'
_ANSWER = re.compile(
    r"(?:yes|no|never|none|(?:(?:usually|probably|often|maybe|normally) )?not"
    rf"(?: (?:{any_of('partly')}|(?:by|on) (?:itself|its own)))?"
    r"|it isn't|it doesn't|it can't)\s?[,.;:–—-]\s*",
    re.IGNORECASE,
)
_CLAUSE = re.compile(border("until", "because", "since", "so"), re.IGNORECASE)
_WEAK = FUNCTION_WORDS | frozenset(listed("weak"))
_SCOPE = 6
"""Number of words after a negation that are in its scope, within its clause."""
_SCOPE_CHARACTERS = 400
_BEFORE = 200  # characters before a negation in which its scope is searched if no words follow it
_ADDED, _DROPPED = 0.6, 0.6
"""Minimum share of the words in a negation's scope that the other text has unnegated."""
_SAME_TOPIC = 0.15
"""Minimum share of a statement's words in a sentence for it to be about the same thing."""
_MOST_NEGATIONS = 20
"""Maximum number of negations per sentence that are examined."""
LONGEST_TEXT = 20_000
"""Maximum characters of a statement or passage that are examined: more than a passage has."""


class ParsedSentence(NamedTuple):
    """A sentence: its stems in order, those in the scope of each negation, those outside all."""

    text: str
    scopes: tuple[frozenset[str], ...]
    affirmed: frozenset[str]
    stems: frozenset[str]


@lru_cache(maxsize=64)
def parse_sentences(text: str) -> tuple[ParsedSentence, ...]:
    """The sentences of a text with the words that they negate."""
    return tuple(parse_sentence(text[start:end]) for start, end in sentences(text[:LONGEST_TEXT]))


def without_answer(statement: str) -> str:
    """A statement without the yes or no that it begins with."""
    found = _ANSWER.match(straight(statement))
    return statement[found.end() :] if found else statement


def has_negation(text: str) -> bool:
    """Whether a text has a negation."""
    return _NEGATION.search(straight(text)) is not None


def negation_count(text: str) -> int:
    """The number of negations in a text."""
    return len(_NEGATION.findall(straight(text)))


def without_negations(text: str) -> str:
    """The text without its words of negation."""
    return _NEGATION.sub(" ", straight(text))


def unlike_negations(statement: str, passage: str) -> list[str]:
    """What one of the two negates and the other says without a negation.

    If the passage says the words of a negation of the statement unnegated, it must also negate one
    of the shared words. The statement must not affirm what the passage only negates. If the two use
    different words, the critic decides.
    """
    sentence = parse_sentence(without_answer(statement[:LONGEST_TEXT]))
    there = parse_sentences(passage)
    for scope in sentence.scopes:
        if scope and _is_added(scope, there):
            return ["in the statement only"]
    for item in there:
        if len(item.stems & sentence.stems) >= _SAME_TOPIC * len(sentence.stems):
            for scope in item.scopes:
                if scope and _is_dropped(scope, sentence, there):
                    return ["in the evidence only"]
    return []


def _is_added(scope: frozenset[str], there: Sequence[ParsedSentence]) -> bool:
    if any(scope & other for item in there for other in item.scopes):
        return False
    least = _ADDED * len(scope)
    saying = [item for item in there if len(item.affirmed & scope) >= least]
    return bool(saying) and not any(_REWORDED.search(item.text) for item in saying)


def _is_dropped(
    scope: frozenset[str], sentence: ParsedSentence, there: Sequence[ParsedSentence]
) -> bool:
    if any(scope & other for other in sentence.scopes):
        return False
    shared = scope & sentence.stems
    if len(shared) < max(1, _DROPPED * len(scope)):
        return False
    for clause in _CLAUSE.split(sentence.text):
        both = scope & _stems(clause)
        if len(both) >= max(1, _DROPPED * len(scope)) and not (
            has_negation(clause) or _LIMITS.search(clause)
        ):
            return not any(both <= item.affirmed for item in there)
    return False


def parse_sentence(text: str) -> ParsedSentence:
    """A sentence with the words that it negates."""
    text = straight(text)
    negations = islice(_NEGATION.finditer(text), _MOST_NEGATIONS)
    scopes = tuple(_scope(text, item) for item in negations)
    stems = _stems(text)
    return ParsedSentence(text, scopes, stems.difference(*scopes), stems)


def _scope(text: str, negation: re.Match[str]) -> frozenset[str]:
    """The words after the negation in its clause; if the clause ends with it, those before it."""
    rest = text[negation.end() : negation.end() + _SCOPE_CHARACTERS]
    end = _CLAUSE.search(rest)
    words = _words(rest[: end.start()] if end else rest)[:_SCOPE]
    if not words and negation[0].lower() != "none":
        before = text[max(0, negation.start() - _BEFORE) : negation.start()]
        words = _words(_CLAUSE.split(before)[-1])[-_SCOPE:]
    return frozenset(words)


def _words(text: str) -> list[str]:
    return [stem(word) for word in tokenize(text) if word not in _WEAK]


def _stems(text: str) -> frozenset[str]:
    return frozenset(_words(text))
