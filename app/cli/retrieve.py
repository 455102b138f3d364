"""The command that lists passages, without the graph."""

import argparse
import json

from anamnesis.paths import index_at
from app.best_passages import best_passages
from retrievers.opening import open_corpus


def retrieve(given: argparse.Namespace) -> int:
    """Print the passages for the question, best first. Returns 1 if there are none, else 0."""
    index = open_corpus(index_at(given.index))
    hits = best_passages(index, given.question, given.method, given.k, given.reranker)
    if given.json:
        print(json.dumps(hits, ensure_ascii=False, indent=2))
        return 0 if hits else 1
    for place, hit in enumerate(hits, 1):
        lists = ", ".join(
            f"{name} #{rank} ({hit['scores'][name]:.3f})" for name, rank in hit["ranks"].items()
        )
        extra = f"; relevance {hit['relevance']:.3f}" if "relevance" in hit else ""
        print(f"{place}. {hit['question'] or hit['title']}  [{hit['id']}, {hit['source']}]")
        print(f"   {lists}; fused {hit['score']:.5f}{extra}")
        print(f"   {' '.join(hit['text'].split())[:160]}")
    if not hits:
        print("nothing found")
    return 0 if hits else 1
