"""What follows from the settings of a run: thresholds and weights that they leave out."""

from collections.abc import Mapping

from nodes.context import Context, unweighed
from retrievers.index import Index
from retrievers.search import Method

QUOTED_RELEVANCE = 0.45
"""Least relevance of a passage that is quoted, chosen on the curves of risk and coverage
(`python -m benchmarks.coverage`): above it less is wrong, and much more is silent."""
READ_RELEVANCE = 0.1
"""Least relevance of the best passage that a chat model is given: it can tell what helps."""


def least_relevance(choices: Mapping[str, str], context: Context, chat: bool = False) -> float:
    """The least relevance of a passage that is used for a question with these options.

    ``chat`` is whether a chat model reads the passages, rather than that they are quoted.
    """
    if unweighed(choices, context) or (chat and not context.gate):
        return 0.0
    if context.min_relevance is not None:
        return context.min_relevance
    return READ_RELEVANCE if chat else QUOTED_RELEVANCE


SMALL_PROMPT, LARGE_PROMPT = 1024, 8192
"""Tokens of a prompt, by default: the least and the most [H4]."""
_OF_WINDOW = 16
_BOUNDLESS = 1 << 30
_MANY = 4096
"""Tokens of a prompt that has room for more passages."""


def prompt_budget(context: Context, window: int | None) -> int:
    """Tokens that the prompt may have for a chat model that states this window, or none."""
    if context.prompt_tokens == "window":
        return max(window - context.max_tokens, window // 2) if window else _BOUNDLESS
    if context.prompt_tokens is not None:
        return context.prompt_tokens
    return min(LARGE_PROMPT, max(SMALL_PROMPT, (window or 0) // _OF_WINDOW))


def fact_budget(context: Context, budget: int) -> int:
    """Tokens of the prompt's that facts have for themselves."""
    return budget // 4 if context.fact_tokens is None else context.fact_tokens


def evidence_passages(context: Context, window: int | None = None) -> int:
    """Passages that go to the generator; the window is that of ``prompt_budget``."""
    if context.evidence_passages is not None:
        return context.evidence_passages
    return 8 if prompt_budget(context, window) >= _MANY else 3


STANDARDISED_WEIGHTS: dict[Method, float] = {"dense": 3.0}
"""Weights in the fusion of standardised scores. On LiveQA-Med's messages any weight of the dense
list from 2 to 6 does about as well."""


def fusion_weights(context: Context) -> dict[Method, float] | None:
    """The weights that the settings ask for, or else those of their way of fusion."""
    if context.weights is not None or context.fusion == "rrf":
        return context.weights
    return {name: own for name, own in STANDARDISED_WEIGHTS.items() if name in context.methods}


def comparable(index: Index, context: Context) -> bool:
    """Whether the fused score of one question can be compared with that of another.

    It can where standardised scores are those of whole lists of candidates: among a few passages
    even the best one stands out little.
    """
    return context.fusion == "standardised" and len(index) >= context.candidates
