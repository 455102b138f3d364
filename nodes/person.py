"""What a question says of a person, and whether the sources that are shown speak of it.

It only adds a note: what answers the question is the reader's judgement, and this changes nothing
of it. The words stand for groups that medical sources name as such; medicines are those of
``corpus.medicines`` that the question says are taken.
"""

import re
from collections.abc import Sequence

from anamnesis.text import tokenize
from corpus.medicines import maxima

_GROUPS = {
    "pregnancy": "pregnant pregnancy pregnancies trimester expecting",
    "breastfeeding": "breastfeeding breastfeed breastfed breastmilk lactation lactating nursing",
    "children": "child children childhood baby babies infant infants toddler newborn kid kids "
    "pediatric paediatric teen teenager teenagers adolescent adolescents",
}
_WORDS = {word: group for group, words in _GROUPS.items() for word in words.split()}
_TAKES = re.compile(
    r"\b(?:on|taking|takes|take|took|with|using) (?:my |her |his |the |daily |also )?"
    r"([a-z]{4,20})\b",
    re.IGNORECASE,
)


def mentioned(text: str) -> set[str]:
    """The groups that a text speaks of."""
    return {_WORDS[word] for word in tokenize(text) if word in _WORDS}


def medicines(question: str) -> set[str]:
    """The medicines that a question says are taken, as it names them, in lower case."""
    return {own for own in map(str.lower, _TAKES.findall(question)) if own in maxima()}


def not_spoken_of(question: str, sources: Sequence[str]) -> list[str]:
    """What the question says of the person that no source speaks of, in a fixed order."""
    there = set().union(*map(mentioned, sources)) if sources else set()
    names = {word for text in sources for word in tokenize(text)}
    # A medicine is spoken of by any of its names.
    spoken = {id(maxima()[name]) for name in names if name in maxima()}
    missing = [name for name in sorted(medicines(question)) if id(maxima()[name]) not in spoken]
    return [own for own in _GROUPS if own in mentioned(question) - there] + missing
