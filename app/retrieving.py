"""The command that lists passages, without the graph."""

import argparse
import json
from pathlib import Path
from typing import Any

from anamnesis import SettingError
from anamnesis.paths import default_index
from retrievers.index import open_index
from retrievers.search import Method, search

_LISTS: dict[str, tuple[Method, ...]] = {
    "sparse": ("sparse",),
    "dense": ("dense",),
    "facts": ("facts",),
}


def retrieve(given: argparse.Namespace) -> int:
    """Print the passages that fit the question, best first; 1 comes back where there is none."""
    if given.k < 1:
        raise SettingError(f"--k takes a number from 1 up, not {given.k}")
    index = open_index(Path(given.index) if given.index else default_index())
    methods = _LISTS.get(given.method, ("sparse", "dense"))
    depth = max(given.k, 10) if given.method == "reranked" else given.k
    found = search(
        index,
        given.question,
        methods=methods,
        k=depth,
        reduce_query=len(methods) > 1,
        facts=given.k,
    )
    own_passages = index.passages([hit["id"] for hit in found])
    hits: list[dict[str, Any]] = [dict(hit) for hit in found]
    if given.method == "reranked":
        from models.reranker import DEFAULT_RERANKER, load_reranker
        from nodes.rerank import ordered

        reranker, asked = load_reranker(given.reranker or DEFAULT_RERANKER), given.question
        ranked = ordered(
            found, own_passages, reranker, index.sparse.idf, query=asked, question=asked
        )
        hits = [dict(item) for item in ranked]
    passages = {passage.id: passage for passage in own_passages}
    hits = hits[: given.k]
    for place, hit in enumerate(hits, 1):
        own = passages[hit["id"]]
        hit |= {
            "title": own.title, "question": own.question, "text": own.text,
            "source": own.source, "url": own.url,
        }  # fmt: skip
        if not given.json:
            lists = ", ".join(
                f"{name} #{rank} ({hit['scores'][name]:.3f})" for name, rank in hit["ranks"].items()
            )
            extra = f"; rerank {hit['rerank']:.3f}" if "rerank" in hit else ""
            print(f"{place}. {own.question or own.title}  [{hit['id']}, {own.source}]")
            print(f"   {lists}; fused {hit['score']:.5f}{extra}")
            print(f"   {' '.join(own.text.split())[:160]}")
    if given.json:
        print(json.dumps(hits, ensure_ascii=False, indent=2))
    elif not hits:
        print("nothing found")
    return 0 if hits else 1
