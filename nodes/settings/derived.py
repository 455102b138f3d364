"""Defaults that depend on other settings of a run: thresholds, budgets and weights."""

from collections.abc import Mapping
from typing import Any

from nodes.settings.context import Context, unweighed
from retrievers.methods import RETRIEVERS

QUOTED_RELEVANCE = 0.31
"""Minimum relevance of a passage that is quoted, chosen with the weights (`python -m
benchmarks.relevance`): a higher value gives fewer wrong answers, but far fewer answers.
"""
PART_RELEVANCE = 0.38
"""The same for one of several questions of a message.

It is higher, because a wrong quotation there seems to answer exactly that question. Chosen on 324
messages with several questions: those in the sets of `python -m benchmarks.misses`, with those that
no judged record answers. At .45, .38 and .31, of the 291 that one answers, the first source helps
for 190, 194 and 196, and some source for 219, 227 and 232; of the 33 others, 15, 19 and 21 get
statements.
"""
READ_RELEVANCE = 0.1
"""Minimum relevance of the best passage for a chat model, which can judge what helps."""


def least_relevance(
    options: Mapping[str, str], context: Context, *, chat: bool = False, part: bool = False
) -> float:
    """The minimum relevance of a passage that is used for a question with these options.

    ``chat`` is True if a chat model reads the passages, False if they are quoted; ``part``: the
    question is one of several in a message.
    """
    if unweighed(options, context) or (chat and not context.retrieval.gate):
        return 0.0
    if context.retrieval.min_relevance is not None:
        return context.retrieval.min_relevance
    if chat:
        return READ_RELEVANCE
    return PART_RELEVANCE if part else QUOTED_RELEVANCE


SMALL_PROMPT, LARGE_PROMPT = 1024, 8192
"""Minimum and maximum of the default prompt budget, in tokens [H4]."""
_OF_WINDOW = 16
_BOUNDLESS = 1 << 30
_MANY = 4096
"""Prompt budget, in tokens, from which more passages are used."""


def prompt_budget(context: Context, window: int | None) -> int:
    """The prompt budget in tokens for a chat model with this context window (None: not stated)."""
    if context.generator.prompt_tokens == "window":
        return max(window - context.generator.max_tokens, window // 2) if window else _BOUNDLESS
    if context.generator.prompt_tokens is not None:
        return context.generator.prompt_tokens
    return min(LARGE_PROMPT, max(SMALL_PROMPT, (window or 0) // _OF_WINDOW))


def fact_budget(context: Context, budget: int) -> int:
    """The part of the prompt budget, in tokens, that is reserved for facts."""
    return budget // 4 if context.generator.fact_tokens is None else context.generator.fact_tokens


def evidence_passages(context: Context, window: int | None = None) -> int:
    """The number of passages given to the generator; ``window`` as in ``prompt_budget``."""
    if context.generator.passages is not None:
        return context.generator.passages
    return 8 if prompt_budget(context, window) >= _MANY else 3


FOUND = 10
"""Minimum number of passages that a search returns. Those that are not read are still compared with
the statements, because they may contradict them."""


def found_passages(context: Context) -> int:
    """The number of passages that a search returns."""
    return max(FOUND, context.retrieval.rerank_depth)


def fusion_weights(context: Context) -> dict[str, float] | None:
    """The weights in the settings, or the default weights of their fusion method."""
    if context.retrieval.weights is not None or context.retrieval.fusion == "rrf":
        return context.retrieval.weights
    weights = {name: RETRIEVERS[name].weight for name in context.retrieval.methods}
    return {name: weight for name, weight in weights.items() if weight != 1}


def search_settings(context: Context) -> dict[str, Any]:
    """The settings of a search for passages, as arguments of ``retrievers.search.search``."""
    retrieval = context.retrieval
    return {
        "methods": retrieval.methods,
        "candidates": retrieval.candidates,
        "rrf_k": retrieval.rrf_k,
        "weights": fusion_weights(context),
        "fusion": retrieval.fusion,
        "reduce_query": retrieval.reduce_query,
        "query_adapter": retrieval.query_adapter,
        "bm25": retrieval.bm25,
    }
