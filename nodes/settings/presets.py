"""What each published system switches on and off, as overrides of the default settings, by name.

A preset leaves out what its paper does not have, so that each system can be reproduced and compared
in one graph.
"""

from typing import Any

PUBLISHED: dict[str, Any] = {
    "memory.verify_again": False,
    "memory.quote_user": False,
    "memory.medicine_warnings": False,
    "question.spelling": False,
    "question.names": False,
    "question.split": False,
    "question.conversation": False,
    "question.premises": False,
    "retrieval.reduce_query": False,
    "retrieval.query_adapter": False,
    "retrieval.fusion": "rrf",
    "retrieval.candidates": 30,
    "retrieval.rerank_depth": 10,
    "retrieval.gate": False,
    "generator.passages": 3,
    "generator.prompt_tokens": "window",
    "generator.source_order": (),
    "generator.alternatives": 0,
    "verification.safety_checks": False,
}
"""What the published systems have in common; a preset may override it.

The papers search with the unchanged question (R1, R2, H3, S2), fuse thirty candidates per list by
reciprocal ranks (R3), and let the model say that the documents contain no answer (R5, H5). They
neither interpret messages nor check the documents' text as the default does; only its answer to an
emergency is kept.
"""

PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    # H1–H6: memories and two lists, one pass, a prompt of 1,024 tokens. Every exchange is stored.
    # The paper measures its retrieval at five documents.
    "hybrid-memory": {
        **PUBLISHED,
        "generator.passages": 5,
        "generator.prompt_tokens": 1024,
        "memory.stored_kinds": ("exchange",),
        "memory.stored_exchanges": "all",
        "retrieval.reranker": None,
        "verification.critic": None,
        "loop.max_rounds": 1,
        "memory.recalled_kinds": ("exchange",),
        "memory.ranking": "similarity",
        "memory.lexical_weight": 0,
        "memory.threshold": 0.4,
    },
    # M1–M8: notes that the model infers from the conversation, the best memory of each kind by the
    # paper's weights for it, dense retrieval, one pass; contradictions between memories. The paper
    # has no minimum similarity.
    "mark": {
        **PUBLISHED,
        "retrieval.methods": ("dense",),
        "question.conversation": True,
        "retrieval.reranker": None,
        "verification.critic": None,
        "loop.max_rounds": 1,
        "memory.notes": "inferred",
        "memory.contradictions": True,
        "memory.stored_kinds": ("residual", "question", "response"),
        "memory.recalled_kinds": ("residual", "question", "response"),
        "memory.rankings_by_kind": {
            "residual": "popularity",
            "question": "freshness",
            "response": "feedback-freshness",
        },
        "memory.lexical_weight": 0,
        "memory.threshold": -1,
    },
    # R1–R5: two lists; the ten best are ordered by the cross-encoder, and three of them are given
    # to the generator as questions and answers; no memory, no critic. R9: answers of the next ones.
    "sparse-dense": {
        **PUBLISHED,
        "retrieval.rerank_by": "reranker",
        "generator.prompt_format": "pairs",
        "generator.structured": False,
        "generator.alternatives": 3,
        "memory.recall": False,
        "memory.stored_kinds": (),
        "verification.critic": None,
        "loop.max_rounds": 1,
        "generator.stream_draft": True,
    },
    # K2–K5: only facts, found in two steps, put before the question; the reply is an option's
    # words, and one of several is always chosen. No passages, no memory, no critic.
    "mkrag": {
        **PUBLISHED,
        "retrieval.methods": ("facts",),
        "retrieval.fact_search": "refined",
        "generator.fact_tokens": 1024,
        "generator.prompt_format": "facts",
        "generator.structured": False,
        "memory.recall": False,
        "memory.stored_kinds": (),
        "retrieval.reranker": None,
        "verification.critic": None,
        "loop.max_rounds": 1,
        "verification.always_choose": True,
    },
    # S1–S7: two lists, generate, verify, search again for unsupported statements, with all earlier
    # rounds in the prompt; no memory, no cross-encoder.
    "self-medrag": {
        **PUBLISHED,
        "memory.recall": False,
        "memory.stored_kinds": (),
        "retrieval.reranker": None,
        "loop.max_rounds": 3,
        "verification.min_probability": 0.5,
        "loop.min_supported_share": 0.7,
        "verification.verdicts": "entailment",
        "loop.history": "rounds",
        "loop.stop_without_new_passages": False,
    },
}
