"""Undo the line breaks caused by the width of a page, in plain text files and in PDF."""

import re

from anamnesis.language.text import is_list_item, tokenize

_NARROWEST, _WIDEST = 40, 120  # characters of a page's width; other texts are not wrapped
_FULL = 0.75  # of the usual width: a line this long was broken because it was full
_HYPHEN = re.compile(r"(?<!\w)(\w++)-[ \t]*\n[ \t]*([a-z]\w*)")


def unwrap(text: str) -> str:
    """Join lines that were broken only because they reached the width of the page."""
    lines = text.splitlines()
    lengths = sorted(len(line.strip()) for line in lines if line.strip())
    usual = lengths[int(0.9 * (len(lengths) - 1))] if lengths else 0
    if not _NARROWEST <= usual <= _WIDEST:
        return text
    joined: list[str] = []
    full = False
    for line in lines:
        stripped = line.strip()
        if full and stripped and not is_list_item(stripped):
            joined[-1] = f"{joined[-1].rstrip()} {stripped}"
        else:
            joined.append(line)
        full = len(stripped) >= _FULL * usual
    return "\n".join(joined)


def join_hyphens(text: str, known: str) -> str:
    """Join words that were divided at the end of a line.

    Args:
        text: With lines as on the page.
        known: The text in which to find the word without the hyphen; if it is not there, the hyphen
            stays ("anti-inflammatory").
    """
    vocabulary = set(tokenize(known))

    def join(found: re.Match[str]) -> str:
        whole = found[1] + found[2]
        return whole if whole.lower() in vocabulary else f"{found[1]}-{found[2]}"

    return _HYPHEN.sub(join, text)
