"""Find the assumption in a question, so that it can be checked before the question is answered.

'Since aspirin cures flu, how much should I take?' claims that aspirin cures flu; 'Why does sugar
cause ADHD?' claims that sugar causes ADHD. The rules are designed to miss a claim rather than to
invent one: they ignore statements about the user or a single event, and statements that depend on
a pronoun. A clause after 'since' whose verb expresses neither an effect nor a property ('since
mutations in SLC1A3 have been found …') is found too, but only a contradiction of it is reported.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.language.lexicon import any_of, listed
from anamnesis.language.negations import NOT, negating
from anamnesis.language.text import sentences
from anamnesis.language.words import SELF
from nodes.state import Premise

_MODAL = f"{any_of('modal', 'obligation')}|may"
_AUXILIARY = rf"(?:{any_of('be', 'do', 'have')}|am|{_MODAL}){NOT}?"
_ASKS = rf"how|what|which|where|who|why|when\s+{_AUXILIARY}|{_AUXILIARY}"
_QUESTION_AFTER_COMMA = rf",\s*(?:so\s+|then\s+)?(?=(?:{_ASKS})\b)"
# Without a comma only 'how much …', 'when is …' and 'should I …' clearly begin the question.
_QUESTION_WITHOUT_COMMA = (
    rf"(?<!\s)\s+(?=(?:how\s+(?:much|many|often|long)|(?:how|what|which|when|why)\s+{_AUXILIARY})\b"
    rf"|(?:{_MODAL}|do|am)\s+(?:i|we|you)\b)"
)
_SINCE = (
    r"(?:since|because|given(?:\s+that)?|now\s+that|seeing\s+(?:that|as)|considering(?:\s+that)?"
    r"|knowing\s+that|as\s+(?:we|you|i|everyone|everybody)(?:\s+all)?\s+knows?,?(?:\s+that)?)"
)
# With a comma the question begins there, not at 'when': 'Since it cannot be passed on when treated,
# do I …'
_LEADING, _LEADING_BARE = (
    re.compile(
        rf"^\W*+(?:(?:so|and|but)\W*+)?{_SINCE}\s++(?P<claim>.+?){begins}.+$",
        re.IGNORECASE | re.DOTALL,
    )
    for begins in (_QUESTION_AFTER_COMMA, _QUESTION_WITHOUT_COMMA)
)
# 'Should I avoid it because aspirin thins the blood?' assumes the reason; 'Is aspirin bad because
# aspirin thins the blood?' asks for it.
_TRAILING = re.compile(
    r"^(?:\W*+(?!how\s+long)"
    r"(?:how|what|which|when|where|(?:should|can|could|may|must)\b(?!['’])|(?:do|am)\s+i)\b.+?)"
    rf"(?:,|(?<![\s,]))\s+{_SINCE}\s++(?P<claim>.+)$",
    re.IGNORECASE | re.DOTALL,
)
# 'I know vitamin C cures colds, so how much is enough?'
_KNOWN = re.compile(
    r"^\W*+(?:(?:i|we|everyone|everybody)(?:\s+all)?\s+knows?\s+(?:that\s+)?)?(?P<claim>[^,]+?)"
    rf",\s*(?:and\s+)?so\s+(?=(?:{_ASKS})\b).+$",
    re.IGNORECASE | re.DOTALL,
)
_HOW_COME = re.compile(r"^\W*+how\s+come\s++(?P<claim>.+)$", re.IGNORECASE | re.DOTALL)

# Verbs that may be nouns: 'damage' is one in 'why does liver damage cause itching'.
_MAYBE_NOUNS = frozenset(listed("verb_or_noun"))
_EFFECTS = sorted({*listed("effect"), *_MAYBE_NOUNS, "heal", "trigger"})
# A verb after such a word shows that it is a noun ('why does liver damage happen'). 'Risk' and
# 'sleep' are rather nouns themselves: 'increase risk' begins with a verb.
_AFTER_NOUN = frozenset(listed("verb", "state", "noun_or_verb", without="risk sleep"))
_ADVERBS = frozenset(listed("adverb_of_property"))
# The effects that a question with 'how does …' assumes.
_EFFECTS_OF_HOW = listed("effect_asked")
_EFFECT_VERBS = "|".join([*_EFFECTS, "reverse"])
_DONE_BY = rf"(?:{any_of('done')})\s+by"
_PREDICATE = (
    rf"(?:(?:{any_of('adverb_of_property')}|the\s+(?:most|least))\s+){{0,3}}"
    rf"(?:{_DONE_BY}|{any_of('property')}|life-threatening)\b"
)
# Verbs that say what a disease or a medicine is like or does in general.
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
    rf"\b({SELF}"
    rf"|{any_of('third', 'third_object', 'third_possessive', 'family', 'near', 'acquaintance')}"
    rf"|{any_of('personal')}|grand\w+"
    # Not the 'that' of 'a disease that affects the skin'.
    rf"|^that|(?:is|are|does|do|like|than|{any_of('preposition', without='as at on')})\s+that)\b",
    re.IGNORECASE,
)
# Agents rather than remedies: 'How do doctors treat asthma?' claims nothing.
_AGENT = re.compile(rf"(?:^|\bby\s+)(?:the\s+)?(?:\w+\s+)?({any_of('agent')})\b", re.IGNORECASE)
# 'The pain is worse', 'test results are high' are about the user; 'the flu', 'the measles vaccine'
# are general.
_ASKERS_OWN = re.compile(
    rf"^(?:\w+\s+)?(?:{any_of('complaint', 'own_finding')})\s+(?:{any_of('own_event')})\b"
    rf"|^(?:the|an?)\s+(?!(?:\w+\s+){{0,2}}(?:{any_of('general_thing')})\b)",
    re.IGNORECASE,
)
_NEGATING = negating(without="no none nobody nothing without")  # words that negate a verb
_AS_A_RULE = f"can|may|often|always|{_NEGATING}"
# The verb of a general claim: an effect ('cures'; 'cure' after a plural, 'can' and the like) or a
# property ('is safe', 'is a virus'). 'Levels are high' has none: it is about a patient.
_GENERAL_VERB = re.compile(
    rf"(?:(?<=s\s)|(?<=a\s)|\b(?:{_AS_A_RULE})\s+)(?:{_EFFECT_VERBS})\b"
    rf"|\b(?:{_AS_A_RULE}|usually)\s+(?:{'|'.join(_STATES)})\b"
    rf"|\b(?:{_EFFECT_VERBS}|feed|need|come|run|{'|'.join(_STATES)})s\b"
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
    rf"|(?:{_NEGATING})\s+(?:possible|allowed|available|an\s+option|needed|enough))\b",
    re.IGNORECASE,
)
_FILLER = re.compile(r"\b(actually|really|even|exactly)\s+", re.IGNORECASE)
# Maximum numbers of words.
_LONGEST_CLAIM = 20
_LONGEST_UNCERTAIN_CLAIM = 40
_LONGEST_SUBJECT = 6


class Assumption(NamedTuple):
    """A claim that a question assumes, as a sentence; ``certain`` if it certainly is an assumption.

    Any other claim may be about the user only; it is reported only if a document contradicts it.
    """

    text: str
    certain: bool


def premise_of(question: str) -> Assumption | None:
    """The claim that a question assumes; None if it assumes none.

    If there are several sentences, the first certain claim, otherwise the first uncertain one.
    """
    each_sentence = [
        " ".join(question[span.start : span.end].split()) for span in sentences(question)
    ]
    for find, certain in ((_certain_claim, True), (_uncertain_claim, False)):
        for sentence in each_sentence:
            if claim := find(sentence):
                return Assumption(claim, certain)
    return None


def unchecked_premise(question: str) -> Premise | None:
    """The claim that a question assumes, as the state has it until it is compared with passages."""
    if found := premise_of(question):
        return {
            "text": found.text,
            "certain": found.certain,
            "verdict": "unchecked",
            "evidence": None,
        }
    return None


def _uncertain_claim(sentence: str) -> str | None:
    """The clause after 'since', with any verb, if nothing shows that it is about the user."""
    found = _LEADING.match(sentence)
    return _as_general_claim(found["claim"], _LONGEST_UNCERTAIN_CLAIM) if found else None


def _certain_claim(sentence: str) -> str | None:
    """The claim of a sentence whose form shows that it assumes one."""
    if found := _match_with_effect(sentence) or _HOW_COME.match(sentence):
        return _claim_with_effect(found["claim"])
    text = sentence.rstrip(" ?!.")
    if found := _WHY_IS.match(text) or _HOW_IS.match(text):
        return _as_general_claim(f"{found['subject']} {found['aux'].lower()} {found['rest']}")
    if found := _WHY_DOES.match(text):
        return _claim_of_does(found["aux"].lower(), found["rest"], _EFFECTS, bool(found["not"]))
    if found := _HOW_DOES.match(text):
        return _claim_of_does(found["aux"].lower(), found["rest"], _EFFECTS_OF_HOW, False)
    return None


def _match_with_effect(sentence: str) -> re.Match[str] | None:
    """The match whose group ``claim`` is a clause with an effect or a property."""
    for pattern in (_LEADING, _LEADING_BARE, _TRAILING, _KNOWN):
        found = pattern.match(sentence)
        if found and _claim_with_effect(found["claim"]):
            return found
    return None


def _claim_of_does(auxiliary: str, rest: str, verbs: Sequence[str], negated: bool) -> str | None:
    """The claim of 'does vitamin C cure cancer': 'Vitamin C cures cancer.'."""
    words = _FILLER.sub("", rest).split()
    at = next((place for place, word in enumerate(words) if word.lower() in verbs), 0)
    subject, verb, after = words[:at], words[at].lower(), words[at + 1 :]
    if not subject or _is_noun(verb, [word.lower() for word in after]):
        return None
    if subject[-1].lower() == "not":
        subject, negated = subject[:-1], True
    if not subject or len(subject) > _LONGEST_SUBJECT or (not after and verb != "work"):
        return None
    if auxiliary == "can":
        verb = f"cannot {verb}" if negated else f"can {verb}"
    elif negated:
        verb = f"{auxiliary} not {verb}"
    elif auxiliary == "does":
        verb = f"{verb}s"
    return _as_general_claim(" ".join([*subject, verb, *after]))


def _is_noun(word: str, after: Sequence[str]) -> bool:
    """Whether an effect may be a noun, because another effect or a verb follows it."""
    if word not in _MAYBE_NOUNS:
        return False
    following = next((one for one in after if one not in _ADVERBS and one[-2:] != "ly"), "")
    # 'Help' is a verb before another verb too: 'help lose weight'.
    return any(one in _EFFECTS for one in after) or (word != "help" and following in _AFTER_NOUN)


def _claim_with_effect(clause: str) -> str | None:
    """The claim of a clause whose verb expresses an effect or a property."""
    verb = _GENERAL_VERB.search(clause)
    # A subject comes before the verb.
    return _as_general_claim(clause) if verb and verb.start() > 0 else None


def _as_general_claim(words: str, most: int = _LONGEST_CLAIM) -> str | None:
    """The words as a sentence, if they make a general claim."""
    claim = _FILLER.sub("", words).strip(" ,;:?.!")
    if not 2 <= len(claim.split()) <= most:
        return None
    if any(item.search(claim) for item in (_PERSONAL, _AGENT, _OWN_CASE, _ASKERS_OWN)):
        return None
    return f"{claim[0].upper()}{claim[1:]}."
