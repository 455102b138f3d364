"""Example questions for the page: some that the index at hand answers [R6]."""

import numpy as np

from anamnesis.corpus.passage import Passage
from anamnesis.language.lexicon import listed
from nodes.evidence.safety import all_safe
from retrievers.corpus import Corpus

MOST = 5
"""Examples that are shown."""
USUAL = ("What are the symptoms of asthma?", "Is psoriasis contagious?")
"""Examples where the index has no questions of its own, or there is none yet."""
_LONGEST = 60  # characters; the page cuts longer ones short
_LOOKED_AT = 400
_IN_QUESTIONS = listed("question")


def examples(index: Corpus, most: int = MOST) -> list[str]:
    """Questions of records that are spread evenly over the index, each on another topic."""
    found = index.naming(_IN_QUESTIONS, most=_LOOKED_AT)
    by_topic: dict[str, str] = {}
    for own in all_safe([page for page in found if _short_question(page)]):
        if own.question:  # what may not be quoted has none
            by_topic.setdefault((own.focus or own.question).casefold(), own.question)
    asked = list(by_topic.values())
    places = np.linspace(0, len(asked) - 1, min(most, len(asked))).astype(int)
    return [asked[place] for place in places.tolist()] or list(USUAL)


def _short_question(own: Passage) -> bool:
    return own.kind != "fact" and own.question.endswith("?") and len(own.question) <= _LONGEST
