"""What each published system switches on and off, as overrides of the default settings.

A preset leaves out what its paper does not have, so that each can be reproduced and compared
in the one graph.
"""

from typing import Any, Literal

# The papers ask their lists for the question as it is written (R1, R2, H3, S2), fuse thirty
# candidates of each by reciprocal ranks (R3), and leave it to the model to say that the documents
# hold no answer (R5, H5). The default's readings of a message are none of theirs; its answer to an
# emergency stays.
_PLAIN = {
    "spelling": False,
    "several": False,
    "conversation": False,
    "premises": False,
    "reduce_query": False,
    "tune_query": False,
    "fusion": "rrf",
    "candidates": 30,
    "gate": False,
    "evidence_passages": 3,
    "prompt_tokens": "window",
}

Preset = Literal["default", "hybrid-memory", "mark", "sparse-dense", "mkrag", "self-medrag"]

PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    # H1–H6: memory beside two lists, one pass, a prompt of 1,024 tokens. Every exchange is kept.
    # The paper measures its retrieval at five documents.
    "hybrid-memory": {
        **_PLAIN,
        "evidence_passages": 5,
        "prompt_tokens": 1024,
        "kept_kinds": ("exchange",),
        "kept_exchanges": "all",
        "reranker": None,
        "critic": None,
        "max_rounds": 1,
        "memory_kinds": ("exchange",),
        "memory_ranking": "similarity",
        "memory_words": 0,
        "memory_threshold": 0.4,
    },
    # M1–M8: what the model infers from the conversation, the best memory of each kind by the
    # weights that the paper has for it, beside dense retrieval, one pass; memories that contradict
    # each other. The paper asks for no least similarity.
    "mark": {
        **_PLAIN,
        "methods": ("dense",),
        "conversation": True,
        "reranker": None,
        "critic": None,
        "max_rounds": 1,
        "notes": "inferred",
        "contradictions": True,
        "kept_kinds": ("residual", "question", "response"),
        "memory_kinds": ("residual", "question", "response"),
        "memory_rankings": {
            "residual": "popularity",
            "question": "freshness",
            "response": "feedback-freshness",
        },
        "memory_words": 0,
        "memory_threshold": -1,
    },
    # R1–R5: two lists, the ten best ordered by the cross-encoder alone, of these three to the
    # generator as questions and answers; no memory, no critic. R9: what the next ones answer.
    "sparse-dense": {
        **_PLAIN,
        "rerank_by": "reranker",
        "prompt_form": "pairs",
        "structured": False,
        "alternatives": 3,
        "memory": False,
        "critic": None,
        "max_rounds": 1,
        "stream_draft": True,
    },
    # K2–K5: facts alone, found in two steps, before the question; the reply is an option's words,
    # and one of several is always named. No passages, no memory, no critic.
    "mkrag": {
        **_PLAIN,
        "methods": ("facts",),
        "fact_search": "refined",
        "fact_tokens": 1024,
        "prompt_form": "facts",
        "structured": False,
        "memory": False,
        "reranker": None,
        "critic": None,
        "max_rounds": 1,
        "always_choose": True,
    },
    # S1–S7: two lists, generate, verify, search again for what was not supported, with all that
    # went before in the prompt; no memory, no cross-encoder.
    "self-medrag": {
        **_PLAIN,
        "memory": False,
        "reranker": None,
        "max_rounds": 3,
        "support": 0.5,
        "support_score": 0.7,
        "verdicts": "published",
        "history": "rounds",
        "stop_without_news": False,
    },
}
