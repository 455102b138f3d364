"""Replace misspelt words of a question by words of an index.

A sparse search finds nothing for a word that no document has. If the index has a nearly equal word,
that word is searched for instead. A word stays unchanged if the other one could be another medicine
or an opposite, or if it is a correct word that the documents do not use.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from string import ascii_lowercase

from rapidfuzz import process
from rapidfuzz.distance import OSA

# Pydantic, which makes the server's schemas, takes no other before Python 3.12.
from typing_extensions import TypedDict

from anamnesis.corpus.cautions import medicine_names
from anamnesis.corpus.everyday_names import table
from anamnesis.corpus.medicines import medicines_by_name, other_products
from anamnesis.corpus.starter import read_starter
from anamnesis.errors import CorpusError
from anamnesis.language.lexicon import any_of
from anamnesis.language.names import BRITISH_E
from anamnesis.language.opposites import affixes
from anamnesis.language.text import tokenize

LEAST_LETTERS = 5
"""Minimum letters of a corrected word: shorter words have too many similar words."""
MOST_LETTERS = 40
"""Maximum letters of a corrected word: longer strings are not words."""
LONG = 8
"""Minimum letters of a word for a correction with two edits; a shorter word may have one."""
PLAIN = 7
"""Minimum letters of a word for a correction with one edit that sounds different."""
PLAIN_LONG = 10
"""The same for a correction with two edits."""
LEAST_COUNT = 2
"""Minimum passages with a word for it to count as correct, because an index contains misspellings
too."""
LEAST_SHORT_COUNT = 10
"""The same for a word of fewer than ``PLAIN`` letters that is in no list of correct words: a brand
name must not become a name that two documents happen to have."""
MOST_RIVAL = 0.25
"""A word stays unchanged if a second, equally similar word is in at least this share of the
passages that contain the best one."""

_PART = re.compile(r"\S+")
_WORD = re.compile(r"\w+")
_ADDRESS = re.compile(r"@|://|www\.")
# 'Youre', 'couldnt': only the apostrophe is missing.
_CONTRACTED = re.compile(
    rf"({any_of('third', 'speaker')}|who|what|that|there)(re|ve|ll|d|s)"
    rf"|(could|would|should|must|need|{any_of('do', 'be', 'have')})nt"
)
_NEGATED = re.compile(r"['’]t\b", re.IGNORECASE)

_OPPOSITE = affixes("misspelt")
# Endings of generic names of medicines, after the stems of the International Nonproprietary Names.
_MEDICINE = re.compile(
    rf"\w{{2,}}({any_of('medicine_ending', 'misspelt_ending')}|[my]cin|[lp]am|[sdl]one"
    r"|[ps][oe]rine)s?"
)
# British spellings; an index may have only the American ones.
_BRITISH = [
    (re.compile(pattern), american)
    for pattern, american in (
        (BRITISH_E, "e"),
        (r"(?<=\w\w)our(?=(s|e[dr]s?|ings?|abl[ey]|ful|less|ation|ite|y|al|hood)?$)", "or"),
        (r"is(?=(e|e[drs]|ers|ings?|ations?)$)", "iz"),
        (r"lys(?=(e|e[ds]|ing)$)", "lyz"),
        (r"ll(?=(ed|ing|[eo]rs?)$)", "l"),
        (r"tre(?=s?$)", "ter"),
        (r"ogue(?=s?$)", "og"),
        (r"(?<=^sul)ph", "f"),
        (r"(?<=^mo)u(?=ld)", ""),
    )
]


class Respelt(TypedDict):
    """A word of the question, and the word that is searched for instead."""

    written: str
    searched: str


@cache
def right_words() -> frozenset[str]:
    """Words that are correct whether or not an index has them.

    English words, including British spellings, the words of the starter corpus, and the names in
    the tables of ``anamnesis.corpus``: of medicines, and everyday ones.
    """
    # Only the package's list of words is needed; it is found without importing the code.
    package = find_spec("symspellpy")
    if package is None or package.origin is None:
        raise CorpusError("The list of English words is missing. Install Anamnesis again.")
    listed = Path(package.origin).with_name("frequency_dictionary_en_82_765.txt")
    english = (line.split(" ", 1)[0] for line in listed.read_text("utf-8-sig").splitlines())
    shipped = (word for item in read_starter() for word in tokenize(f"{item.title} {item.text}"))
    everyday = (name for term in table() for name in term.names)
    names = (*medicines_by_name(), *other_products(), *everyday)
    named = (word for name in names for word in tokenize(name))
    families = (word for name in medicine_names() for word in name)
    return frozenset((*english, *shipped, *named, *families))


def sound(word: str) -> str:
    """The consonants of a word: words that differ only in vowels or doubled letters sound alike."""
    folded = word.replace("ph", "f").translate(str.maketrans("kqz", "ccs"))
    return re.sub(r"(.)\1++", r"\1", folded[:1] + re.sub("[aeiouyhw]", "", folded[1:]))


class Speller:
    """Replaces misspelt words by those of an index. Safe to use from several threads."""

    def __init__(
        self, counts: Mapping[str, int], is_name: Callable[[str], bool] = lambda word: False
    ) -> None:
        """``counts`` are lower-case words with the number of passages that contain each;
        ``is_name`` is true for other words to leave unchanged, such as names in the facts.
        """
        self._counts = counts
        self._is_name = is_name
        self._targets: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
        right = right_words()
        for word, count in counts.items():
            least = LEAST_COUNT if len(word) >= PLAIN or word in right else LEAST_SHORT_COUNT
            if count >= least and len(word) >= LEAST_LETTERS - 1 and word.isalpha():
                self._targets[word[0], len(word)].append(word)

    def repair(self, text: str) -> tuple[str, list[Respelt]]:
        """The text with its misspelt words corrected, and the corrections, each once.

        A British spelling that becomes the American one is not among the corrections: it is the
        same word, so the user need not be informed.
        """
        found: dict[str, Respelt] = {}
        pieces, end = [], 0
        for part in _PART.finditer(text):
            if _ADDRESS.search(part[0]):
                continue
            for item in _WORD.finditer(text, *part.span()):
                better, is_misspelt = self.correction(item[0].lower())
                if better is None or _NEGATED.match(text, item.end()):
                    continue
                better = _cased(better, item[0])
                if is_misspelt:
                    found.setdefault(item[0].lower(), {"written": item[0], "searched": better})
                pieces += [text[end : item.start()], better]
                end = item.end()
        return "".join([*pieces, text[end:]]), list(found.values())

    def nearest(self, word: str) -> str | None:
        """The correction of a lower-case word of a question; None if it stays unchanged."""
        return self.correction(word)[0]

    def correction(self, word: str) -> tuple[str | None, bool]:
        """The result of ``nearest``, and whether the word is misspelt rather than British."""
        if not (LEAST_LETTERS <= len(word) <= MOST_LETTERS and word.isalpha()):
            return None, False
        if word in self._counts or _CONTRACTED.fullmatch(word) or self._is_name(word):
            return None, False
        american = self._american(word)
        if american or word in right_words():
            return american, False
        return self._most_alike(word), True

    def _most_alike(self, word: str) -> str | None:
        """The word of the index that a misspelt word probably is; None if no word is, or several.

        A word that sounds like the written one counts as nearer than one that does not.
        """
        limit = 1 if len(word) < LONG else 2
        lengths = range(len(word) - limit, len(word) + limit + 1)
        targets = [item for n in lengths for item in self._targets.get((word[0], n), ())]
        # The first letter may be missing: 'requent'.
        longer = (letter + word for letter in ascii_lowercase)
        targets += [item for item in longer if self._counts.get(item, 0) >= LEAST_COUNT]
        near = process.extract(word, targets, scorer=OSA.distance, score_cutoff=limit, limit=None)
        ranked = sorted(
            (int(distance) + (not _alike(word, item)), -self._counts[item], item)
            for item, distance, _ in near
            if _may_be(word, item, int(distance))
        )
        if not ranked:
            return None
        cost, count, best = ranked[0]
        rivals = [
            item
            for far, less, item in ranked[1:]
            if far == cost and less <= MOST_RIVAL * count and not _same(item, best)
        ]
        against = [item for item, *_ in near if _opposite(item, best)]
        return None if rivals or against else best

    def _american(self, word: str) -> str | None:
        """The American spelling of a lower-case British word, if the index has it."""
        forms = [british.sub(ours, word) for british, ours in _BRITISH]
        held = [item for item in forms if self._counts.get(item, 0) >= LEAST_COUNT and item != word]
        return max(held, key=lambda item: self._counts[item], default=None)


def _may_be(word: str, other: str, distance: int) -> bool:
    """Whether one may be a misspelling of the other, and not another word."""
    if _opposite(word, other):
        return False
    if _alike(word, other):
        return True
    if distance < 2:
        return len(word) >= PLAIN
    return len(word) >= PLAIN_LONG and not _MEDICINE.fullmatch(other)


def _opposite(word: str, other: str) -> bool:
    return any(word.startswith(a) and other.startswith(b) for a, b in _OPPOSITE)


def _alike(word: str, other: str) -> bool:
    return sound(word) == sound(other) or sorted(word) == sorted(other)


def _same(word: str, other: str) -> bool:
    """Whether two words are forms of the same word, such as singular and plural."""
    short = min(len(word), len(other)) - 2
    return word[:short] == other[:short]


def _cased(word: str, like: str) -> str:
    if like.isupper():
        return word.upper()
    return word.capitalize() if like[:1].isupper() else word
