"""Names: those of drugs and diseases, capitalised words, and the form in which they are compared.

A name and what a text says are compared word by word in the form of ``name_word``. The names in an
index are stored in the form of ``name_key``: after a change, each index has to be built again.
"""

import re
from collections.abc import Container, Iterator, Sequence

from anamnesis.language.lexicon import any_of, listed
from anamnesis.language.text import OPENERS, tokenize
from anamnesis.language.words import singular, stem

# Endings of generic drug names (including WHO stems), and common drugs. A word that only looks like
# one must occur in the evidence as well, which does little harm.
_DRUG = re.compile(
    rf"""^(?:\w{{2,}}
    (?: {any_of("medicine_ending", "further_medicine_ending")} )
    | {any_of("medicine")} )$""",
    re.VERBOSE,
)
# Endings of disease names, and common diseases.
_DISEASE = re.compile(
    rf"""^(?:\w{{3,}}(?: {any_of("disease_ending", "further_disease_ending")} )
    | {any_of("disease", without="obesity cataracts")} )$""",
    re.VERBOSE,
)
# Words that end like the name of a disease or a drug but are not names.
_NO_NAME = frozenset(listed("no_medical_name"))
_LETTERED = re.compile(rf"\b((?i:{any_of('series')})) ([A-Z])\b")
# A sentence begins after a label ('Fever: This is …'); its first word is not a name.
_CAPITAL = re.compile(
    r"(?<=[a-z,;] )[A-Z][\w-]{2,}"
    rf"|(?<=: )(?!(?:Her|{'|'.join(sorted(item.capitalize() for item in OPENERS))})\b)"
    r"[A-Z][\w-]{2,}"
)
# 'MRI', 'SSRIs': initials, which the source may write in full.
_INITIALS = re.compile(r"([A-Z]{2,6})s?")

BRITISH_E = re.compile(r"[ao]e(?=(?!ing)\w{3}|(?:a|al|ba|ce|ia|ic|ra)$)")
"""The letters 'ae' or 'oe' in a word in lower case, for which American English has 'e': those of
'oedema', 'diarrhoea', 'diarrhoeal', 'amoeba', 'faece(s)', 'pharmacopoeia'.

They stay in 'shoe', 'aloe', 'poet', 'being' and Latin plurals. Of the 97,000 words of a list of
English and of two indexes, 86 pairs are one word for the comparison, such as 'fetus' and
'foetus'; five of them are different words ('paella' and 'Pella').
"""


def name_word(word: str) -> str:
    """The form in which a word of a name in lower case is compared.

    This is the singular in the American spelling, as far as ``BRITISH_E`` shows it: 'hemorrhoid' of
    'haemorrhoids'.
    """
    return BRITISH_E.sub("e", singular(word))


def name_words(text: str) -> list[str]:
    """The words of a text, each in that form."""
    return list(map(name_word, tokenize(text)))


def name_key(text: str) -> str:
    """A name in the form in which names are compared: its words, with single blanks."""
    return " ".join(name_words(text))


def longest_names(
    words: Sequence[str], known: Container[str], most: int
) -> Iterator[tuple[int, int, str]]:
    """The known names among words, with the numbers of their first word and of the one after them.

    The words and the names are in the form of ``name_key``; a name has at most ``most`` words. If a
    name contains another name, only the longer one counts.
    """
    at = 0
    while at < len(words):
        for end in range(min(at + most, len(words)), at, -1):
            if (name := " ".join(words[at:end])) in known:
                yield at, end, name
                at = end - 1
                break
        at += 1


def is_drug(word: str) -> bool:
    """Whether a word in lower case looks like the generic name of a medicine."""
    return _DRUG.match(word) is not None and word not in _NO_NAME


def is_disease(word: str) -> bool:
    """Whether a word in lower case looks like the name of a disease."""
    return _DISEASE.match(word) is not None and word not in _NO_NAME


def names(statement: str) -> list[str]:
    """The names in a statement: capitalised words within a sentence, drugs, diseases."""
    found = [word for word in tokenize(statement) if is_drug(word) or is_disease(word)]
    return list(dict.fromkeys([*_CAPITAL.findall(statement), *found]))


def unknown_names(statement: str, evidence: str, passage: str) -> list[str]:
    """The names of a statement that do not occur in its passage, in lower case.

    A drug's name must occur in the evidence if that names another drug, and 'vitamin C' if it names
    vitamin D. Initials count as present if consecutive words begin with them.
    """
    there, every = set(tokenize(evidence)), tokenize(passage)
    known = {stem(word) for word in every}
    initials = "".join(word[0] for word in every)
    drugs = {word for word in there if is_drug(word)}
    stated = set(tokenize(statement))
    unknown = [
        name.lower()
        for name in names(statement)
        if not _is_known(name, known, initials)
        or (is_drug(name) and name not in there and drugs - stated)
    ]
    letters: dict[str, set[str]] = {}
    for kind, letter in _LETTERED.findall(evidence):
        letters.setdefault(kind.lower(), set()).add(letter)
    unknown += [
        f"{kind} {letter}".lower()
        for kind, letter in _LETTERED.findall(statement)
        if kind.lower() in letters and letter not in letters[kind.lower()]
    ]
    return list(dict.fromkeys(unknown))


def _is_known(name: str, known: set[str], initials: str) -> bool:
    for part in re.split(r"[-_]", name):
        short = _INITIALS.fullmatch(part)
        if short and short[1].lower() in initials:
            continue
        if not {stem(word) for word in tokenize(part)} <= known:
            return False
    return True
