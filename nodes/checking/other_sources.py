"""Compare a dose, or the advice to stop a treatment, with all other sources of the index.

A search returns a limited number of passages, and one author's records could fill all of them. Here
every passage that names the medicine or the treatment is compared, whatever the search returned.
"""

from collections.abc import Callable, Iterator, Sequence
from weakref import WeakKeyDictionary

from anamnesis.corpus.doses import UNITS, has_amount
from anamnesis.corpus.medicines import maxima
from anamnesis.corpus.passage import Passage
from anamnesis.language.quotable import is_about_myths
from nodes.checking.disagreeing import TreatmentClaim, against, treatment_claim
from nodes.checking.stopping import stopped_in
from nodes.parts import Parts
from nodes.settings.context import Context
from nodes.state import Evidence, Statement
from retrievers.corpus import Corpus

Disputed = Callable[[str, Passage], bool]
"""Whether another source disagrees with a sentence of a passage."""

_NOWHERE = Passage("", "", 0, 0, "")
_amount_words: WeakKeyDictionary[Corpus, list[str]] = WeakKeyDictionary()
_SHORT = 5
"""Minimum letters of a topic word; then words with the same beginning count as the topic."""


def with_others(
    statements: Sequence[Statement], asked: str, context: Context, parts: Parts
) -> list[Statement]:
    """The statements on the question ``asked``; a source that disagrees becomes the conflict.

    Only statements that may be shown, on a dose or on stopping, are compared.
    """
    return [
        {**item, "conflict": found}
        if item["verdict"] in ("supported", "unchecked")
        and not item["conflict"]
        and (found := other_source(item["text"], item["citations"], asked, context, parts))
        else item
        for item in statements
    ]


def other_source(
    text: str, cited: Sequence[str], asked: str, context: Context, parts: Parts
) -> Evidence | None:
    """The place where a record in the index disagrees with a text from cited passages, or None.

    Also None if the text is not about a dose or about stopping a treatment.
    """
    if not (has_amount(text) or stopped_in(text)):
        return None
    passages = parts.find(cited[:1], context)
    claim = treatment_claim(text, next(iter(passages.values()), _NOWHERE), asked)
    if claim is None:
        return None
    others = _possibly_disagreeing(claim, parts.index(context))
    return against(claim, others, whole_index=True)


def dispute_test(question: str, context: Context, parts: Parts) -> Disputed:
    """The test for sentences that are not shown, because another source contradicts them."""

    def disputed(sentence: str, passage: Passage) -> bool:
        return other_source(sentence, [passage.id], question, context, parts) is not None

    return disputed


def _possibly_disagreeing(claim: TreatmentClaim, index: Corpus) -> Iterator[Passage]:
    """The passages that may disagree, such as those with a name of the medicine and an amount."""
    for kinds in _kinds(claim, index):
        for item in index.containing(*kinds):
            if not is_about_myths(item.heading, item.text):
                yield item


def _kinds(claim: TreatmentClaim, index: Corpus) -> Iterator[list[list[str]]]:
    """Groups of words for each medicine or treatment; a passage on it has a word of every group."""
    words = index.words
    for medicine in dict.fromkeys(dose.medicine for dose in claim.doses):
        known = maxima().get(medicine)
        names = known.names if known else claim.names or (medicine,)
        yield [[name.split()[0] for name in names], _amounts(index)]
    if claim.stopped:
        treatments = [word for item in sorted(claim.stopped) for word in words(item)]
        topics = [
            word
            for stem in sorted(claim.topic)
            for word in (words(stem) if len(stem) >= _SHORT else [stem, f"{stem}s"])
        ]
        yield [treatments, topics] if topics else [treatments]


def _amounts(index: Corpus) -> list[str]:
    """The words in an index that mark an amount: 'mg', '500mg'."""
    if index not in _amount_words:
        numbers = [word for digit in "0123456789" for word in index.words(digit)]
        _amount_words[index] = [*UNITS, *(word for word in numbers if word.endswith(UNITS))]
    return _amount_words[index]
