"""Divide a text into pieces that fit a number of tokens: pure functions on spans."""

import math
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from anamnesis.language.text import Span, is_list_item, sentences

CountTokens = Callable[[Sequence[str]], list[int]]

# About as many as English has per word piece. If a text has more, its sentences are counted at
# once: counting the whole text first would mostly be a waste of time.
_CHARACTERS_PER_TOKEN = 4.5
_WORD = re.compile(r"\S+")
_ENDS = (".", "!", "?", "…", ")", '"', "”")

# The cost of a cut at a border, which is added to the squared difference of a piece from the mean
# size, as a share of what fits (rarely above 0.1).
_COST_AFTER_LEAD_IN = 1.0  # between "Symptoms include" or a heading and what it announces
_COST_IN_SENTENCE = 0.5
_COST_IN_LIST = 0.1
_COST_IN_PARAGRAPH = 0.03


class _Unit(NamedTuple):
    """A sentence, or a part of an over-long one."""

    span: Span
    tokens: int
    cost: float  # of a cut right after it


def fit_heading(
    headings: Sequence[str], count_tokens: CountTokens, most: int
) -> list[tuple[int, int | None]]:
    """The number of tokens of each heading that are embedded, and the character at which they end.

    Args:
        headings: One per record; may be empty.
        count_tokens: Gives the number of tokens of each text.
        most: A longer heading is cut between words to this many tokens.

    Returns:
        For each heading its tokens, and its end in characters; None if all is embedded.
    """
    fitted: list[tuple[int, int | None]] = []
    for heading, tokens in zip(headings, _count(headings, count_tokens), strict=True):
        if tokens <= most:
            fitted.append((tokens, None))
            continue
        words = list(_WORD.finditer(heading))
        used, end = 0, 0
        for word, size in zip(words, count_tokens([w.group() for w in words]), strict=True):
            if used + size > most:
                break
            used, end = used + size, word.end()
        fitted.append((used, end))
    return fitted


def pack(
    texts: Sequence[str], budgets: Sequence[int], count_tokens: CountTokens
) -> list[list[Span]]:
    """Cut each text into as few pieces of similar size as its budget of tokens allows.

    Cuts fall between sentences; a longer sentence is cut between words, a longer word inside.
    Borders after a heading or a list's lead-in are avoided, ends of paragraphs preferred.

    Args:
        texts: The texts; none blank.
        budgets: Maximum tokens in a piece of each text, at least 1.
        count_tokens: Gives the number of tokens of each text; called once or twice for all.

    Returns:
        The pieces of each text, in order; together they hold all that is not blank.
    """
    pieces: list[list[Span]] = [[] for _ in texts]
    unsure = [i for i, text in enumerate(texts) if _may_fit(text, budgets[i])]
    sizes = dict(zip(unsure, _count([texts[i] for i in unsure], count_tokens), strict=True))
    long: list[int] = []
    for i, text in enumerate(texts):
        if len(text) <= budgets[i] or sizes.get(i, math.inf) <= budgets[i]:
            start = len(text) - len(text.lstrip())
            pieces[i] = [Span(start, start + len(text.strip()))]
        else:
            long.append(i)
    spans = [sentences(texts[i]) for i in long]
    flat = [
        texts[i][s.start : s.end] for i, of_text in zip(long, spans, strict=True) for s in of_text
    ]
    counted = iter(_count(flat, count_tokens))
    for i, of_text in zip(long, spans, strict=True):
        units = _units(
            texts[i], of_text, [next(counted) for _ in of_text], budgets[i], count_tokens
        )
        pieces[i] = _balanced(units, budgets[i])
    return pieces


def _may_fit(text: str, budget: int) -> bool:
    # A token has at least one character, so short texts need no counting either.
    return budget < len(text) <= budget * _CHARACTERS_PER_TOKEN


def _count(texts: Sequence[str], count_tokens: CountTokens) -> list[int]:
    """Counts equal texts once: boilerplate is common in medical data sets."""
    distinct = list(dict.fromkeys(texts))
    counts = dict(zip(distinct, count_tokens(distinct) if distinct else [], strict=True))
    return [counts[text] for text in texts]


def _units(
    text: str, spans: list[Span], sizes: list[int], budget: int, count_tokens: CountTokens
) -> list[_Unit]:
    units: list[_Unit] = []
    for n, (span, size) in enumerate(zip(spans, sizes, strict=True)):
        if size > budget:
            parts = _cut(text, span, budget, count_tokens)
            units.extend(_Unit(part, tokens, _COST_IN_SENTENCE) for part, tokens in parts)
            size = units.pop().tokens
            span = parts[-1][0]
        following = spans[n + 1] if n + 1 < len(spans) else None
        units.append(_Unit(span, size, _cost(text, span, following)))
    return units


def _cost(text: str, span: Span, following: Span | None) -> float:
    if following is None:
        return 0.0
    here, then = text[span.start : span.end], text[following.start : following.end]
    if here.endswith(":") or not (here.endswith(_ENDS) or is_list_item(here)):
        return _COST_AFTER_LEAD_IN
    if is_list_item(then):
        return _COST_IN_LIST
    return 0.0 if "\n" in text[span.end : following.start] else _COST_IN_PARAGRAPH


def _cut(text: str, span: Span, budget: int, count_tokens: CountTokens) -> list[tuple[Span, int]]:
    """A sentence that is too long, in parts of similar size, cut between words."""
    words = [Span(*found.span()) for found in _WORD.finditer(text, span.start, span.end)]
    sized: list[tuple[Span, int]] = []
    for word, size in zip(words, count_tokens([text[a:b] for a, b in words]), strict=True):
        sized.extend(_cut_word(text, word, size, budget, count_tokens))
    total = sum(size for _, size in sized)
    aim = math.ceil(total / math.ceil(total / budget))
    parts: list[tuple[Span, int]] = []
    for piece, size in sized:
        if parts and parts[-1][1] < aim and parts[-1][1] + size <= budget:
            last, tokens = parts.pop()
            parts.append((Span(last.start, piece.end), tokens + size))
        else:
            parts.append((piece, size))
    return parts


def _cut_word(
    text: str, word: Span, size: int, budget: int, count_tokens: CountTokens
) -> list[tuple[Span, int]]:
    if size <= budget or word.end - word.start == 1:
        return [(word, size)]
    middle = (word.start + word.end) // 2
    halves = [Span(word.start, middle), Span(middle, word.end)]
    sizes = count_tokens([text[a:b] for a, b in halves])
    return [
        part
        for half, half_size in zip(halves, sizes, strict=True)
        for part in _cut_word(text, half, half_size, budget, count_tokens)
    ]


def _balanced(units: Sequence[_Unit], budget: int) -> list[Span]:
    """The fewest pieces that fit the budget; among those, the cheapest cuts.

    Dynamic programme over the borders: best[j] is the (pieces, cost) of the first j units.
    """
    total = sum(unit.tokens for unit in units)
    mean = total / math.ceil(total / budget)
    best: list[tuple[int, float]] = [(0, 0.0)]
    previous = [0]
    for j in range(1, len(units) + 1):
        size, found, cut = 0, (math.inf, math.inf), j - 1
        for i in range(j - 1, -1, -1):
            size += units[i].tokens
            if size > budget and i < j - 1:
                break
            pieces, cost = best[i]
            cost += ((size - mean) / budget) ** 2 + (units[i - 1].cost if i else 0.0)
            if (pieces + 1, cost) < found:
                found, cut = (pieces + 1, cost), i
        best.append((int(found[0]), found[1]))
        previous.append(cut)
    spans: list[Span] = []
    j = len(units)
    while j:
        spans.append(Span(units[previous[j]].span.start, units[j - 1].span.end))
        j = previous[j]
    return spans[::-1]
