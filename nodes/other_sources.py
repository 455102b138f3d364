"""What the other sources of the whole index say of a dose, or of stopping a treatment.

A search gives so many passages as a caller asks for, and whoever writes many records fills them.
Here every passage that names the medicine or the treatment is looked at, whatever was found.
"""

from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

from corpus.doses import UNITS, has_amount
from corpus.medicines import maxima
from corpus.passage import Passage
from nodes.disagreeing import Claim, against, claim_of
from nodes.state import Evidence, Statement
from nodes.stopping import stopped_in
from nodes.units import tells_myths
from retrievers.corpus import Corpus

_NOWHERE = Passage("", "", 0, 0, "")
_amount_words: WeakKeyDictionary[Corpus, list[str]] = WeakKeyDictionary()
_SHORT = 5
"""Letters below which words that only begin like a topic's are not of it."""


def with_others(statements: Sequence[Statement], index: Corpus, asked: str) -> list[Statement]:
    """The statements, those that stand alone against another source with it as their conflict.

    Only what may be shown and holds a dose or a stop is looked at. ``asked`` is the question.
    """
    return [
        {**item, "conflict": found}
        if item["verdict"] in ("supported", "unchecked")
        and not item["conflict"]
        and (found := other_source(item["text"], item["citations"], index, asked))
        else item
        for item in statements
    ]


def other_source(text: str, cited: Sequence[str], index: Corpus, asked: str) -> Evidence | None:
    """Where a record of the index disagrees with a text of the cited passages; None if none does.

    None, too, where the text says nothing of a dose or of stopping a treatment.
    """
    if not (has_amount(text) or stopped_in(text)):
        return None
    passages = index.find(cited[:1])
    claim = claim_of(text, next(iter(passages.values()), _NOWHERE), asked)
    return against(claim, _others(claim, index), every=True) if claim else None


def _others(claim: Claim, index: Corpus) -> Iterator[Passage]:
    """The passages that may disagree: each with a name of the medicine and an amount, or so on."""
    for kinds in _kinds(claim, index):
        for own in index.naming(*kinds):
            if not tells_myths(own.heading, own.text):
                yield own


def _kinds(claim: Claim, index: Corpus) -> Iterator[list[list[str]]]:
    """For each thing that is claimed the words that a passage on it has, of each kind one."""
    words = index.words
    for medicine in dict.fromkeys(dose.medicine for dose in claim.doses):
        known = maxima().get(medicine)
        names = known.names if known else claim.names or (medicine,)
        yield [[name.split()[0] for name in names], _amounts(index)]
    if claim.stopped:
        treatments = [word for own in sorted(claim.stopped) for word in words(own)]
        topics = [
            word
            for stem in sorted(claim.topic)
            for word in (words(stem) if len(stem) >= _SHORT else [stem, f"{stem}s"])
        ]
        yield [treatments, topics] if topics else [treatments]


def _amounts(index: Corpus) -> list[str]:
    """The words of an index by which an amount is known: 'mg', '500mg'."""
    if index not in _amount_words:
        numbers = [word for digit in "0123456789" for word in index.words(digit)]
        _amount_words[index] = [*UNITS, *(word for word in numbers if word.endswith(UNITS))]
    return _amount_words[index]
