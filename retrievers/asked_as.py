"""Questions that a record answers, in the words of people who ask them.

A page says "primary teeth" where people ask about milk teeth. If a record lists questions that it
answers (``anamnesis.corpus.passage.ASKED_AS``), its passages are found by their words and by their
meaning, and the reader gets the one nearest to the user's question with the passage's heading
(`python -m benchmarks.asked_as`).
"""

from collections.abc import Sequence

from anamnesis.corpus.passage import Passage
from anamnesis.models.embedding import load_embedder
from anamnesis.models.sentence_vectors import vectors_of


def headings(question: str, passages: Sequence[Passage]) -> list[str]:
    """The passages' headings, each with the nearest of its record's questions, if it has any.

    The nearest is the one with the highest cosine, by the default embedder. Raises ModelError if
    that is damaged.
    """
    asked = list(dict.fromkeys(each for item in passages for each in item.asked_as))
    if not asked:
        return [item.heading for item in passages]
    first, *others = vectors_of(load_embedder())([question, *asked])
    near = {text: float(first @ vector) for text, vector in zip(asked, others, strict=True)}
    return [
        f"{item.heading} {max(item.asked_as, key=near.__getitem__)}"
        if item.asked_as
        else item.heading
        for item in passages
    ]
