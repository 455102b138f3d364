"""How near a text is to a reference in its words: a pure function (row H9)."""

import re

_TOKEN = re.compile(r"[a-z0-9]+")


def rouge_l(reference: str, text: str) -> float:
    """ROUGE-L F1: the longest common subsequence of words, by both lengths (Lin 2004).

    Words are runs of Latin letters and digits in lower case, without stemming. 0 where either
    text has none.
    """
    expected, found = (_TOKEN.findall(own.lower()) for own in (reference, text))
    common = _common(expected, found)
    return 2 * common / (len(expected) + len(found)) if common else 0.0


def _common(one: list[str], other: list[str]) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(other) + 1)
    for word in one:
        diagonal = 0
        for place, own in enumerate(other, start=1):
            above = row[place]
            row[place] = diagonal + 1 if word == own else max(above, row[place - 1])
            diagonal = above
    return row[-1]
