"""What users state plainly: clauses that are no question, depend on no 'if' and are no hearsay."""

import re
from collections.abc import Iterator

from anamnesis.language.borders import ASKING
from anamnesis.language.lexicon import any_of, forms, listed
from anamnesis.language.negations import NOT
from anamnesis.language.text import sentence_texts

_BORDER = re.compile(
    r"((?:[,;:]|(?<![\s,;:]))\s++(?:and|but|so)\s+(?=(?:i|i['’]m|i['’]ve|i['’]d|my|please|may"
    rf"|{ASKING})\b)|[,;:]\s+|(?<!\s)\s++[–—-]\s+)",
    re.IGNORECASE,
)
# The text after such a word is not asserted, or not about the user.
_UNSURE = re.compile(
    rf"\b({any_of('uncertain')}"
    rf"|once(?!\s+(?:an?|per|every|each|{any_of('frequency')})\b))\b",
    re.IGNORECASE,
)
_TAG = re.compile(
    rf"\W*({any_of('true_word', 'agreement', 'refusal')}|huh|am i|are{NOT} i"
    rf"|(do|have){NOT}? i|is{NOT}? (it|that)( so)?)\W*",
    re.IGNORECASE,
)
# A clause does not change the meaning of another one if it is about the user and does not refer
# back to it. 'I stopped it' does, in 'I take warfarin, I stopped it'.
_OWN = re.compile(r"(?:i|i['’](?:m|ve|d)|my)\b", re.IGNORECASE)
_TAKES_UP = re.compile(rf"\b(it|{any_of('demonstrative', 'taking_up')})\b", re.IGNORECASE)
_OPENING = re.compile(
    rf"\W*({any_of('greeting', 'agreement', 'refusal', 'thanks', 'opening')}|dear \w+)\W*",
    re.IGNORECASE,
)
_REQUEST = re.compile(r"please\b", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“”„«»]")
_ASKS = re.compile(
    rf"({any_of('question', 'question_form', 'be', 'do', 'have', 'modal', 'possibility')}"
    rf"|{any_of('obligation')}|am)\b",
    re.IGNORECASE,
)


def clauses(text: str) -> Iterator[str]:
    """The clauses of a text that state something, in order and unchanged.

    A clause is left out if the words around it may revoke it, restrict it or attribute it to
    somebody else: 'no allergies, except to nuts', 'lupus, but that was a mistake', 'my mother
    writes: I have …'.
    """
    for sentence in sentence_texts(text):
        if _QUOTED.search(sentence):
            continue
        split = _BORDER.split(sentence)
        # The first clause has no border before it, and the last one none after it.
        parts, borders = [part.strip() for part in split[::2]], ["", *split[1::2], ""]
        asks = [bool(_ASKS.match(part)) for part in parts]
        asks[-1] |= sentence.rstrip().endswith("?")
        for place, part in enumerate(parts):
            if _UNSURE.search(part):
                break  # the next clause depends on it
            if asks[place]:
                continue
            if place and not (asks[place - 1] or _led_by(parts[place - 1], borders[place])):
                continue
            if borders[place + 1]:
                after = parts[place + 1]
                question = asks[place + 1] and not _TAG.fullmatch(after)
                if not (question or _left_alone(after, borders[place + 1])):
                    continue
            if stated := part.rstrip(".!;, "):
                yield stated


def _led_by(before: str, border: str) -> bool:
    """Whether the clause after ``before`` means the same without it."""
    about_user = _OWN.match(before) and not before.lower().startswith("my")
    return ":" not in border and bool(
        about_user or _OPENING.fullmatch(before) or _REQUEST.match(before)
    )


def _left_alone(after: str, border: str) -> bool:
    """Whether ``after`` leaves the meaning of the clause before it unchanged."""
    if _REQUEST.match(after):
        return True
    about_user = _OWN.match(after) and not (_UNSURE.search(after) or _TAKES_UP.search(after))
    return bool(about_user) and "but" not in border.lower()


ALLERGIC = r"allergic to|intolerant (?:to|of)"
_NURSED = any_of("children", without="childhood infancy neonatal pediatric paediatric")
FEEDING = rf"breast-?feeding|nursing(?=$| (?:my|a) (?:[\w-]+ )?(?:{_NURSED}|son|daughter))"
BEING = forms("being")
"""The condition of a person who is called so: 'asthma' for 'asthmatic'."""
# 'I have a question', 'I have to go', 'I have read'.
NO_CONDITION = frozenset(
    listed(
        *("family", "near", "grandparent", "child", "acquaintance", "article", "demonstrative"),
        *("third_possessive", "speaker_possessive", "woman", "man"),
        without="its",
    )
) | frozenset(listed("no_condition"))
"""Words after 'I have' that do not begin a condition."""
