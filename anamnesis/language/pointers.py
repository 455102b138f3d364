"""Sentences that point to other parts of a page: 'see below', 'the following tests', 'click'."""

import re

from anamnesis.language.clauses import CLAUSES, JOINTS, PREPOSITIONS, finite
from anamnesis.language.lexicon import any_of, listed

_POINTER = re.compile(
    rf"\b({any_of('further_reading', 'pointer')}|the following(?! (?:\w+ )?days?\b)|web ?sites?"
    r"|www\.|https?:|call [\d(]|in-depth review|(has|have) an? ((web|internet) )?(page|site))\b"
    r"|(?:^\W*|, |please )(?:see the(?! doctor| nurse| pharmacist| dentist| midwife)"
    r"|visit(?! your| an?\b| the (?:doctor|emergency|hospital|clinic)))\b"
    r"|^here (is|are)\b|^following (is|are)\b|\bfollowing\W*$|\bfollowing:",
    re.IGNORECASE,
)
_PLACE = re.compile(r"\b(?:above|below)\b(?:\s+([\w\u00b0]+|\.\d+))?", re.IGNORECASE)
_LONGEST_WORD = 20
_NAMES_A_PLACE = frozenset(listed("names_a_place"))


def points_elsewhere(text: str) -> bool:
    """Whether a sentence names another part of its page, so that it cannot be quoted alone.

    'Above' and 'below' point to a place of the page ('the table below', 'as described above, …') or
    are prepositions ('a glucose above 7 mmol/L', '140 or above'). They are taken for prepositions
    next to 'or' and 'and', and before a word that can begin a name or a number.
    """
    return bool(_POINTER.search(text)) or any(
        _is_place(text[max(0, found.start() - _LONGEST_WORD) : found.start()], found[1] or "")
        for found in _PLACE.finditer(text)
    )


def _is_place(before: str, following: str) -> bool:
    """Whether 'above' or 'below', after ``before`` and followed by a word, is a place."""
    preceding, word = (before.lower().split() or [""])[-1], following.lower()
    if preceding in ("or", "and") or (word in ("or", "and") and preceding not in _NAMES_A_PLACE):
        return False
    goes_on = word in PREPOSITIONS | JOINTS | CLAUSES or finite(word)
    return not word or preceding in _NAMES_A_PLACE or goes_on
