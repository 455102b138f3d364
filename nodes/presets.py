"""What each published system switches on and off, as overrides of the default settings.

A preset leaves out what its paper does not have, so that each can be reproduced and compared
in the one graph.
"""

from typing import Any, Literal

# The papers ask their lists for the question as it is written (R1, R2, H3, S2), fuse thirty
# candidates of each by reciprocal ranks (R3), and give three passages to the generator (R4) in a
# prompt of 1,024 tokens (H4), whatever it could read.
_PLAIN = {
    "spelling": False,
    "several": False,
    "reduce_query": False,
    "tune_query": False,
    "fusion": "rrf",
    "candidates": 30,
    "evidence_passages": 3,
    "prompt_tokens": 1024,
}

Preset = Literal["default", "hybrid-memory", "mark", "sparse-dense", "mkrag", "self-medrag"]

PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    # H1–H6: memory beside two lists, one pass, a prompt of 1,024 tokens.
    "hybrid-memory": {
        **_PLAIN,
        "reranker": None,
        "critic": None,
        "max_rounds": 1,
        "memory_kinds": ("exchange",),
        "memory_ranking": "similarity",
        "memory_words": 0,
        "memory_threshold": 0.4,
    },
    # M3, M4: the best memory of each kind beside dense retrieval, one pass. The paper's own tests
    # rank by similarity alone, and ask for no least similarity.
    "mark": {
        **_PLAIN,
        "methods": ("dense",),
        "reranker": None,
        "critic": None,
        "max_rounds": 1,
        "memory_kinds": ("residual", "question", "response"),
        "memory_ranking": "similarity",
        "memory_words": 0,
        "memory_threshold": -1,
    },
    # R1–R5: two lists, re-ranked, the best three to the generator; no memory, no critic.
    "sparse-dense": {
        **_PLAIN,
        "memory": False,
        "critic": None,
        "max_rounds": 1,
        "stream_draft": True,
    },
    # K2–K4: facts, and the nearest passages, in one prompt; no memory, no critic. One option of
    # several is always named.
    "mkrag": {
        **_PLAIN,
        "methods": ("dense", "facts"),
        "memory": False,
        "reranker": None,
        "critic": None,
        "max_rounds": 1,
        "evidence_passages": 8,
        "always_choose": True,
    },
    # S1–S7: two lists, generate, verify, search again; no memory, no cross-encoder.
    "self-medrag": {
        **_PLAIN,
        "memory": False,
        "reranker": None,
        "max_rounds": 3,
        "support_score": 0.7,
        "stop_without_news": False,
    },
}
