"""Questions as statements that a critic can judge: of yes/no questions and of answer options.

If no rule applies, a yes/no question has no statement, and an option is appended to its question
after a colon.
"""

import re

from anamnesis.language.clauses import (
    AUXILIARIES,
    AUXILIARY,
    CLAUSES,
    JOINTS,
    PREPOSITIONS,
    PRONOUNS,
    declared,
    inflected,
    plain_word,
)
from anamnesis.language.lexicon import any_of, listed
from anamnesis.language.negations import NOT
from anamnesis.language.text import sentences
from nodes.choosing.filling import ABOUT_WHAT, CHOICE, TRUE, fill_in

_LEAD_WORDS = 60  # maximum words of a case history in front of a hypothesis
_AUX_START = re.compile(rf"(?:{AUXILIARY})(?:{NOT})?\s", re.IGNORECASE)
_CLAUSE_START = re.compile(
    rf"(?P<mark>[:;–—,?.]|\s-|--)\s*(?P<clause>(?:{AUXILIARY})\s.+)$", re.IGNORECASE
)
_TRUE_OR_FALSE = re.compile(
    r"(?<![,;:.(\s])[,;:.(\s]++(?:(?:yes or no|true or false|yes/no|true/false)\)?|or not)[\s?.]*$",
    re.IGNORECASE,
)
_ASKS = re.compile(
    rf"\W*(?:\w+\W+){{0,2}}?(?:{any_of('question', 'question_form')})\b", re.IGNORECASE
)
_EXPLETIVE = re.compile(
    rf"it\b.{{0,30}}?\b(?:{any_of('verdict', 'expletive')})\b"
    r"(?:.{0,40}?\b(?:to|that)\b| \w+ing\b)",
    re.IGNORECASE,
)  # fmt: skip
# At the end, before a colon or dash, or as 'all except': 'all patients except children' excepts
# nothing of the options.
_EXCEPT = re.compile(
    r"(?<![\s,;:({\[-])[\s,;:({\[-]*+"
    r"\b(?:EXCEPT\b|(?i:except(?:ing)?(?: for)?(?: one)?)(?=\W*$|\s*[:–-])"
    r"|(?i:(?<=\ball )except\b))[)}\]:\s?.–-]*"
)
_NOT = re.compile(
    rf"\b(?:{AUXILIARY})(?:{NOT}|(?:\s\w+){{1,2}}?\s+not)\b|\bneed not\b"
    rf"|^\W*not\b|\b(?:the|an?|one)\s+not\b|\bnot(?=\s+(?:{TRUE})\b)",
    re.IGNORECASE,
)
_DOES_NOT = re.compile(rf"\b(?P<aux>{any_of('do')}){NOT}\s+(?P<verb>[a-z]{{2,}})\b", re.IGNORECASE)
# 'Is false', 'the wrong statement', and not 'the wrong dose'.
_FALSE = re.compile(
    rf"\b(?:{any_of('false_word')})\b"
    rf"(?=\W*(?:$|(?:{ABOUT_WHAT}|among|statements?|options?|is|are|all)\b))",
    re.IGNORECASE,
)
# '(figure not shown)'
_ASIDE = re.compile(r"(?<!\s)\s*+\((?=[^()]*\))[^()]*?\bnot\b[^()]*\)", re.IGNORECASE)
_LEAST = re.compile(r"\bleast (?=likely\b|probable\b)", re.IGNORECASE)
# What follows modifies a noun and is not the question itself.
_INNER = re.compile(
    rf"\b(?:{any_of('subordinate', 'question_form')}|who|when|where|until|after|in whom"
    r"|(?<=[a-z] )which)\b(?! of the)",
    re.IGNORECASE,
)
_POINTS = re.compile(
    rf"\b(?:{any_of('demonstrative', without='that')}|such"
    rf"|{any_of('third', 'third_object', 'third_possessive')}|the (?:{any_of('pointed_at')}))\b",
    re.IGNORECASE,
)


def statement_of(question: str) -> str | None:
    """The statement that is true iff the answer to a yes/no question is yes.

    Text before the clause that asks is kept before the statement, because the answer may hold only
    for it: 'X: does Y improve Z?', 'I am pregnant. Is Y safe?'. 'It' or 'they' is replaced by what
    precedes it. None if it is not a yes/no question, if the end of its subject is not found, or if
    a pronoun refers to something that the question does not name.
    """
    text = " ".join(question.split())
    shortened = _TRUE_OR_FALSE.sub("", text)
    lead, last = _last_sentence(shortened)
    if not _AUX_START.match(last):
        found = _CLAUSE_START.search(last)
        if found is None:
            if shortened != text and not _ASKS.match(last):
                return _sentence(last)
            return _titled(last) if text.endswith("?") else None
        head, last = last[: found.start()].strip(), found["clause"]
        if _ASKS.match(head):
            return None
        if found["mark"] == "," and plain_word(head.split()[0]) in PREPOSITIONS | CLAUSES:
            stated = declared(last)
            return stated and _sentence(f"{head}, {stated}")
        lead = head
    stated = declared(last)
    pronoun = plain_word(last.split()[1]) if len(last.split()) > 1 else ""
    refers = pronoun in listed("third")
    if stated is None or not refers or _EXPLETIVE.match(stated):
        if stated is None or not lead or _ASKS.match(lead):
            return stated and _sentence(stated)
        return f"{lead.rstrip(' .,:;?–—-')}: {_sentence(stated)}"
    if not lead or _ASKS.match(lead):
        return None
    words = {plain_word(word) for word in lead.split()}
    if words & (AUXILIARIES | PRONOUNS):
        return f"{_sentence(lead)} {_sentence(stated)}"
    return _sentence(f"{lead.rstrip(' .,:;?')} {stated.split(' ', 1)[1]}")


def _titled(text: str) -> str | None:
    """'X: a Y?' as 'X is a Y'; None for a list of several X."""
    head, colon, rest = text.partition(": ")
    one = not {plain_word(word) for word in head.split()} & (
        JOINTS | AUXILIARIES | {"vs", "versus"}
    )
    if not colon or not one or plain_word(rest.split()[0]) not in {"a", "an"}:
        return None
    return _sentence(f"{head} is {rest[0].lower()}{rest[1:]}")


def asks_for_exception(question: str) -> bool:
    """Whether a question asks for the option that does not fit: EXCEPT, NOT, false, least likely.

    Two such words cancel each other: 'all are false except' asks for the true option. A 'not' in a
    relative or subordinate clause ('patients who do not respond') does not concern the options.
    """
    last = _question_sentence(question)
    if re.match(r"\W*(?:why|how)\b", last, re.IGNORECASE) or _AUX_START.match(last):
        return False
    return _positive(last)[1] % 2 == 1


def hypothesis(question: str, option: str) -> str:
    """The statement that is true iff the option answers the question, for a critic [S4].

    For an EXCEPT or NOT question it is the statement that the option does fit
    (``asks_for_exception``). Sentences before the last are left out, unless the last refers back
    ('this patient'); then those that fit into 60 words are kept. If no rule applies, the result is
    'Question: option.'
    """
    option = " ".join(option.split()).strip(' .;,"')
    lead, _ = _last_sentence(" ".join(question.split()))
    asked = _question_sentence(question)
    positive, _ = _positive(asked)
    clause = positive.strip(' ?.:;,-–—"')
    statement = fill_in(clause, option)
    if lead and _POINTS.search(asked):
        return " ".join([*_context_sentences(lead), _sentence(statement)])
    return _sentence(statement)


def _question_sentence(question: str) -> str:
    """The last sentence of a question in one line."""
    return _last_sentence(" ".join(question.split()).rstrip('"” '))[1]


def _context_sentences(lead: str) -> list[str]:
    """The last sentences of a text that fit in front of a hypothesis, at least one."""
    spans = [lead[a:b] for a, b in sentences(lead)]
    first = len(spans) - 1
    while first > 0 and len(" ".join(spans[first - 1 :]).split()) <= _LEAD_WORDS:
        first -= 1
    return spans[first:]


def _positive(asked: str) -> tuple[str, int]:
    """The question without its words of negation, and how many there were."""
    turned = 0
    text, found = _EXCEPT.subn(" ", _ASIDE.sub("", asked))
    turned += found > 0
    # Only the question itself counts, from the question word to the first inner clause.
    word = CHOICE.search(text)
    start = word.start() if word and "," in text[: word.start()] else 0
    inner = _INNER.search(text, max(start, word.end() if word and word.start() == start else 0))
    end = inner.start() if inner else len(text)
    sentence = text[start:end]
    sentence, found = _LEAST.subn("", sentence)
    turned += found
    sentence, found = _FALSE.subn("true", sentence)
    turned += found
    sentence, found = _DOES_NOT.subn(
        lambda m: inflected(m["verb"], m["aux"].lower()), sentence, count=1
    )
    if not found:
        sentence, found = _NOT.subn(_without_not, sentence, count=1)
    turned += found
    if not found:
        sentence, found = re.subn(r"\bNOT\s+", "", sentence)
        turned += found > 0
    return text[:start] + sentence + text[end:], turned


def _without_not(found: re.Match[str]) -> str:
    # An auxiliary and its negation, or other words and a 'not'.
    return re.sub(rf"^(\w+?){NOT}$|\s{{0,9}}\bnot\b", r"\1", found[0], flags=re.IGNORECASE)


def _last_sentence(text: str) -> tuple[str, str]:
    """The text before the last sentence, and the last sentence."""
    spans = sentences(text)
    if not spans:
        return "", text
    start = spans[-1].start
    return text[:start].strip(), text[start:].strip()


def _sentence(text: str) -> str:
    """The text as one sentence, with a full stop and, unless it starts with a name, a capital."""
    sentence = " ".join(text.split()).strip(' ?.,:;-–—"')
    first = sentence.split(" ", 1)[0]
    word = first.strip(",:").replace("-", "")
    if word.isalpha() and word.islower() and (len(word) > 1 or word == "a"):
        sentence = sentence[0].upper() + sentence[1:]
    return f"{sentence}."
