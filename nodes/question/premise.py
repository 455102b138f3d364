"""Find the assumption in a question, so that it can be checked before the question is answered.

'Since aspirin cures flu, how much should I take?' claims that aspirin cures flu; 'Why does sugar
cause ADHD?' claims that sugar causes ADHD. The rules are designed to miss a claim rather than to
invent one: they ignore statements about the user or a time, and statements that depend on a
pronoun. A clause that may be a claim ('since mutations in SLC1A3 cause …') is found as well, so
that a contradiction is reported.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.language.lexicon import any_of, listed
from anamnesis.language.negations import NOT, negating
from anamnesis.language.text import sentences
from nodes.state import Premise

_MODAL = f"{any_of('modal', 'obligation')}|may"
_BE_OR_DO = rf"(?:{any_of('be', 'do', 'have')}|am|{_MODAL}){NOT}?"
_ASKS = rf"how|what|which|where|who|why|when\s+{_BE_OR_DO}|{_BE_OR_DO}"
_COMMA = rf",\s*(?:so\s+|then\s+)?(?=(?:{_ASKS})\b)"
# Without a comma only 'how much …', 'when is …' and 'should I …' clearly begin the question.
_NO_COMMA = (
    rf"(?<!\s)\s+(?=(?:how\s+(?:much|many|often|long)|(?:how|what|which|when|why)\s+{_BE_OR_DO})\b"
    rf"|(?:{_MODAL}|do|am)\s+(?:i|we|you)\b)"
)
_CAUSE = (
    r"(?:since|because|given(?:\s+that)?|now\s+that|seeing\s+(?:that|as)|considering(?:\s+that)?"
    r"|knowing\s+that|as\s+(?:we|you|i|everyone|everybody)(?:\s+all)?\s+knows?,?(?:\s+that)?)"
)
# 'Since it cannot be passed on when treated, do I …': the question begins after the comma.
_LEADING, _LEADING_BARE = (
    re.compile(
        rf"^\W*+(?:(?:so|and|but)\W*+)?{_CAUSE}\s++(?P<claim>.+?){begins}.+$",
        re.IGNORECASE | re.DOTALL,
    )
    for begins in (_COMMA, _NO_COMMA)
)
# 'Is aspirin bad because it thins the blood?' asks for the reason; 'Should I …' assumes it.
_TRAILING = re.compile(
    r"^(?:\W*+(?!how\s+long)"
    r"(?:how|what|which|when|where|(?:should|can|could|may|must)\b(?!['’])|(?:do|am)\s+i)\b.+?)"
    rf"(?:,|(?<![\s,]))\s+{_CAUSE}\s++(?P<claim>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_KNOWN = re.compile(
    r"^\W*+(?:(?:i|we|everyone|everybody)(?:\s+all)?\s+knows?\s+(?:that\s+)?)?(?P<claim>[^,]+?)"
    rf",\s*(?:and\s+)?so\s+(?=(?:{_ASKS})\b).+$",
    re.IGNORECASE | re.DOTALL,
)
_HOW_COME = re.compile(r"^\W*+how\s+come\s++(?P<claim>.+)$", re.IGNORECASE | re.DOTALL)

# Verbs that are nouns as well: 'liver damage causes itching' is not what 'liver' damages.
_NOUNS = frozenset(listed("verb_or_noun"))
_EFFECTS = sorted({*listed("effect"), *_NOUNS, "heal", "trigger"})
# The effects that a question with 'how does …' assumes.
_CURES = [*listed("effect_asked")]
_VERBS = "|".join([*_EFFECTS, "reverse"])
_DONE_BY = rf"(?:{any_of('done')})\s+by"
_PROPERTY = any_of("property").replace("[ ]", r"\s+")
_PREDICATE = (
    rf"(?:(?:{any_of('adverb_of_property')}|the\s+(?:most|least))\s+){{0,3}}"
    rf"(?:{_DONE_BY}|{_PROPERTY}|life-threatening)\b"
)
# Verbs about a disease or a medicine itself, not about its effect on something else.
_STATES = [*listed("state"), "affect", "contain"]
_WHY_DOES = re.compile(
    rf"^\W*+(?:so\s+|and\s+|but\s+)?why\s+(?P<aux>does|do|can)(?P<not>{NOT})?\s++(?P<rest>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_HOW_DOES = re.compile(
    r"^\W*+(?:so\s+|and\s+|but\s+)?how\s+(?P<aux>does|do|can)\s++(?P<rest>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_WHY_IS = re.compile(
    rf"^\W*+(?:so\s+|and\s+|but\s+)?why\s+(?P<aux>is|are)\s++(?P<subject>.+?)(?<!\s)\s+(?P<rest>{_PREDICATE}.*)$",
    re.IGNORECASE | re.DOTALL,
)
_HOW_IS = re.compile(
    r"^\W*+(?:so\s+|and\s+|but\s+)?how\s+(?P<aux>is|are)\s++(?P<subject>.+?)(?<!\s)\s+"
    rf"(?P<rest>{_DONE_BY}\s+.+)$",
    re.IGNORECASE | re.DOTALL,
)

# The user, relatives, and words that refer to something mentioned earlier.
_PERSONAL = re.compile(
    r"\b(i|i['’]?m|i['’]ve"
    rf"|{any_of('third', 'third_object', 'third_possessive', 'family', 'near', 'acquaintance')}"
    rf"|{any_of('personal')}|grand\w+"
    # Not the 'that' of 'a disease that affects the skin'.
    rf"|^that|(?:is|are|does|do|like|than|{any_of('preposition', without='as at on')})\s+that)\b",
    re.IGNORECASE,
)
# Agents rather than remedies: 'How do doctors treat asthma?' claims nothing.
_AGENT = re.compile(rf"(?:^|\bby\s+)(?:the\s+)?(?:\w+\s+)?({any_of('agent')})\b", re.IGNORECASE)
# 'The pain is worse', 'test results are high' are about the user; 'the flu' is general.
_OWN_FINDING, _OWN_EVENT = (
    any_of(name).replace("[ ]", r"\s+") for name in ("own_finding", "own_event")
)
_ASKERS_OWN = re.compile(
    rf"^(?:\w+\s+)?(?:{any_of('complaint')}|{_OWN_FINDING})\s+(?:{_OWN_EVENT})\b"
    rf"|^(?:the|an?)\s+(?!(?:\w+\s+){{0,2}}(?:{any_of('general_thing')})\b)",
    re.IGNORECASE,
)
_DENIED = negating(without="no none nobody nothing without")  # a verb
_AS_A_RULE = f"can|may|often|always|{_DENIED}"
# Properties of things in general rather than of a patient ('levels are high').
_HOLDS = re.compile(
    rf"(?:(?<=s\s)|(?<=a\s)|\b(?:{_AS_A_RULE})\s+)(?:{_VERBS})\b"
    rf"|\b(?:{_AS_A_RULE}|usually)\s+(?:{'|'.join(_STATES)})\b"
    rf"|\b(?:{_VERBS}|feed|need|come|run|{'|'.join(_STATES)})s\b"
    rf"|\b(?:is|are)\s+(?:{_PREDICATE}|(?:not\s+)?an?\s|(?:not\s+)?the\s+(?:most|least|main|only|leading)\b)"
    r"|\b(?:can|cannot|may)\s+(?:not\s+)?be\s+\w+ed\b|\b(?:has|have)\s+(?:no|side|serious|many)\b",
    re.IGNORECASE,
)
# Past, ongoing and impossible actions are about one case: 'antibiotics did not help'.
_OWN_CASE = re.compile(
    rf"\b(?:(?:did|was|were|had){NOT}?|(?:has|have){NOT}?\s+(?:(?:never|already|been)\s+)*\w+ed"
    rf"|(?:has|have)\s+(?:not\s+)?(?:{any_of('case_participle')})"
    r"|(?:fail|stopp|help|work|start|end)ed|caused(?!\s+by)|came|began|showed|no\s+longer|any\s?more"
    r"|every\s+(?:night|day|morning)|remains?|persists?"
    rf"|(?:is|are){NOT}?\s+(?:\w+ing|gone|impossible|scheduled|ruled\s+out)"
    rf"|(?:can|could){NOT}\s+be\s+(?:used|taken|given|done|found)"
    rf"|(?:{_DENIED})\s+(?:possible|allowed|available|an\s+option|needed|enough))\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(r"\b(actually|really|even|exactly)\s+", re.IGNORECASE)
_MOST_WORDS = 20
_MOST_CLAUSE_WORDS = 40


class Assumption(NamedTuple):
    """A claim that a question assumes, as a sentence; ``plain`` if it certainly is an assumption.

    One that is not ``plain`` may be about the user only: nothing follows if it is not confirmed.
    """

    text: str
    plain: bool


def premise_of(question: str) -> Assumption | None:
    """The claim that a question assumes; None if it assumes none.

    If there are several sentences, the first certain claim, otherwise the first possible one.
    """
    said = [" ".join(question[span.start : span.end].split()) for span in sentences(question)]
    for find, plain in ((_premise, True), (_clause_alone, False)):
        for sentence in said:
            if claim := find(sentence):
                return Assumption(claim, plain)
    return None


def unchecked_premise(question: str) -> Premise | None:
    """The claim that a question assumes, as the state has it until it is compared with passages."""
    if found := premise_of(question):
        return {"text": found.text, "plain": found.plain, "verdict": "unchecked", "evidence": None}
    return None


def _clause_alone(sentence: str) -> str | None:
    """The clause after 'since', with any verb, if it is a general claim."""
    found = _LEADING.match(sentence)
    return _claim(found["claim"], _MOST_CLAUSE_WORDS) if found else None


def _clause(sentence: str) -> re.Match[str] | None:
    """The sentence with its claim marked."""
    for pattern in (_LEADING, _LEADING_BARE, _TRAILING, _KNOWN):
        found = pattern.match(sentence)
        if found and _effect_claim(found["claim"]):
            return found
    return None


def _premise(sentence: str) -> str | None:
    if found := _clause(sentence) or _HOW_COME.match(sentence):
        return _effect_claim(found["claim"])
    text = sentence.rstrip(" ?!.")
    if found := _WHY_IS.match(text) or _HOW_IS.match(text):
        return _claim(f"{found['subject']} {found['aux'].lower()} {found['rest']}")
    if found := _WHY_DOES.match(text):
        return _effect(found["aux"].lower(), found["rest"], _EFFECTS, bool(found["not"]))
    if found := _HOW_DOES.match(text):
        return _effect(found["aux"].lower(), found["rest"], _CURES, False)
    return None


def _effect(auxiliary: str, rest: str, verbs: Sequence[str], negated: bool) -> str | None:
    """The claim of 'does vitamin C cure cancer': 'Vitamin C cures cancer.'."""
    words = _HEDGE.sub("", rest).split()
    places = [place for place, word in enumerate(words) if word.lower() in verbs]
    if not places or places[0] == 0 or places[0] == len(words) - 1 > places[0]:
        return None
    at = places[0]
    # If there are two such words, the first may be a noun: the verb is unclear.
    if words[at].lower() in _NOUNS and any(word.lower() in _EFFECTS for word in words[at + 1 :]):
        return None
    subject, verb, after = words[:at], words[at].lower(), words[at + 1 :]
    if subject[-1].lower() == "not":
        subject, negated = subject[:-1], True
    if not subject or len(subject) > 6 or (not after and verb != "work"):
        return None
    if auxiliary == "can":
        verb = f"cannot {verb}" if negated else f"can {verb}"
    elif negated:
        verb = f"{auxiliary} not {verb}"
    elif auxiliary == "does":
        verb = f"{verb}s"
    return _claim(" ".join([*subject, verb, *after]))


def _effect_claim(clause: str) -> str | None:
    """The claim of a clause whose verb expresses an effect or a property."""
    verb = _HOLDS.search(clause)
    return _claim(clause) if verb and verb.start() else None


def _claim(words: str, most: int = _MOST_WORDS) -> str | None:
    """The words as a sentence, if they make a general claim."""
    claim = _HEDGE.sub("", words).strip(" ,;:?.!")
    if not 2 <= len(claim.split()) <= most:
        return None
    if any(item.search(claim) for item in (_PERSONAL, _AGENT, _OWN_CASE, _ASKERS_OWN)):
        return None
    return f"{claim[0].upper()}{claim[1:]}."
