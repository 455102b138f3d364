"""Names that a model lists, told with what was asked for."""

import re

from anamnesis.text import sentences
from nodes.checks import negated
from nodes.clauses import finite, plain_word
from nodes.units import dangling, stands_alone

_LONGEST = 8  # words of one name of a list
# One thing of one topic: not 'signs and tests', 'all signs', 'signs of A and B', 'my signs'.
_ASKED = re.compile(
    r"what (?:are|were) (?P<list>(?:the )?(?:(?:common|early|first|late|main|most common|possible"
    r"|usual|warning) )?(?:causes|complications|risk factors|side effects|signs|signs and symptoms"
    r"|symptoms|tests|treatments) (?:of|for) (?P<topic>[\w'’ -]+))\W*",
    re.IGNORECASE,
)
_OTHER = frozenset(
    "all and are but can caused do does how i is me my no not only or our should that these this "
    "those to versus vs what when which who with without you your".split()
)
# An answer with one of these says something else than names.
_TALK = frozenset(
    "answer both call can consult contact document documents drink eat false great how i is it "
    "many maybe me my n/a na no nobody none not nothing ok okay our please question see sorry stay "
    "sure take talk thank thanks that they this true unknown various visit we what when which who "
    "yes you your".split()
)
# A verb that no list has: 'strikes the big toe', 'usually begin'.
_SAYS = re.compile(
    r"\w(?:s|ed) (?:an?|the|your|their|his|her)\b|\b(?:never|often|rarely|sometimes|usually) \w"
    r"|\w['’](?:re|m|ll|ve)\b",
    re.IGNORECASE,
)


def completed(question: str, answer: str) -> str:
    """A list of names as a claim: 'The signs of gout include: Fever.' for 'Fever.'

    Small models answer so. By themselves names claim nothing, and any passage that has them seems
    to bear them out. An answer that may be more than names, and one to a question that asks for
    other things than signs, causes, treatments and their like, is left as it is.
    """
    asked = _ASKED.fullmatch(question.strip())
    if asked is None or set(_words(asked["topic"])) & _OTHER or not _are_names(answer):
        return answer
    if set(_words(answer)) <= set(_words(question)):
        return answer  # 'Gout.' names no sign of gout
    wanted = asked["list"].strip()
    return f"{wanted[0].upper()}{wanted[1:]} include: {answer}"


def _are_names(answer: str) -> bool:
    words = _words(answer)
    names = [_words(name) for name in re.split(r"[,;]", answer)]
    # 'Mood changes, blood tests': what ends a name is a noun.
    verbs = [word for name in names for word in name[:-1] if finite(word)]
    return (
        re.search(r"\w{2}", answer) is not None
        and ":" not in answer
        and len(sentences(answer)) == 1
        and max(map(len, names)) <= _LONGEST
        and not set(words) & _TALK
        and not verbs
        and not (stands_alone(answer) or dangling(answer) or negated(answer))
        and not _SAYS.search(answer)
    )


def _words(text: str) -> list[str]:
    return [plain_word(word) for word in text.split() if plain_word(word)]
