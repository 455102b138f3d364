"""Example questions for the page: some that the present index answers [R6]."""

import numpy as np

from anamnesis.language.lexicon import listed
from nodes.evidence.safety import all_safe
from retrievers.corpus import Corpus

MOST = 5
"""The number of examples shown."""
USUAL = ("What are the symptoms of asthma?", "Is psoriasis contagious?")
"""Examples if there is no index yet, or it has neither questions nor short titles."""
_LONGEST = 60  # characters; the page cuts longer ones short
_LOOKED_AT = 400
_IN_QUESTIONS = listed("question")


def examples(index: Corpus, most: int = MOST) -> list[str]:
    """Questions of records spread evenly over the index, each on another topic.

    If no record has a short question, titles are the examples.
    """
    found = [
        item for item in index.containing(_IN_QUESTIONS, most=_LOOKED_AT) if item.kind != "fact"
    ]
    questions = [item for item in found if item.question.endswith("?") and _short(item.question)]
    by_topic: dict[str, str] = {}
    for item in all_safe(questions or [item for item in found if _short(item.title)]):
        # Passages that may not be quoted have neither.
        if text := item.question if questions else item.title:
            by_topic.setdefault((item.focus or text).casefold(), text)
    asked = list(by_topic.values())
    places = np.linspace(0, len(asked) - 1, min(most, len(asked))).astype(int)
    return [asked[place] for place in places.tolist()] or list(USUAL)


def _short(text: str) -> bool:
    return 0 < len(text) <= _LONGEST
