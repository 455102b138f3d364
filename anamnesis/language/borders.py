"""Where a clause ends, as patterns: at marks and words of contrast, or where a question begins."""

from anamnesis.language.lexicon import any_of

ASKING = rf"what|how|why|{any_of('be', 'do', 'modal', without='was were did')}"
"""The words with which a question begins after 'and', as alternatives of a pattern."""


def border(*words: str, comma: bool = True) -> str:
    """Where a clause may end, as alternatives of a pattern: at a mark, or at a word.

    The words are those of contrast and ``words``. Without ``comma`` no clause ends at a comma,
    which also separates the items of a list.
    """
    marks = r"[.;:,()]|\b" if comma else r"[.;:()]|\b"
    return rf"{marks}(?:{'|'.join([any_of('contrast'), *words])})\b"
