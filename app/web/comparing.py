"""One question searched by each method, side by side [R9]."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.best_passages import best_passages
from app.web.markup import Markup, html, joined, link
from nodes.settings.context import Context
from retrievers.corpus import Corpus
from retrievers.methods import HYBRID, RERANKED, RETRIEVERS, described, of_passages, title

SHOWN = 5
"""The number of passages in a column."""

Columns = Mapping[str, Sequence[Mapping[str, Any]]]


def compare(
    index: Corpus, question: str, reranker: str | None, settings: Context | None = None
) -> dict[str, list[dict[str, Any]]]:
    """The best passages of each method; twice as many for hybrid, to show which ranks changed.

    The lists are searched and fused according to ``settings``, by default the default settings
    [R6].

    The single lists get the same query as for fusion, so their ranks agree with those of the fused
    list. Without a reranker in the settings there is no column for it.
    """
    ways = [*of_passages(), HYBRID, *([] if reranker is None else [RERANKED])]
    return {
        way: best_passages(
            index,
            question,
            way,
            2 * SHOWN if way == HYBRID else SHOWN,
            reranker,
            as_fused=True,
            settings=settings,
        )
        for way in ways
    }


def columns_html(columns: Columns) -> Markup:
    """The columns side by side, or stacked if there is no room."""
    fused = [hit["id"] for hit in columns.get(HYBRID, ())]
    return html(
        '<div class="listings">{}</div>',
        joined(_column(way, hits[:SHOWN], fused) for way, hits in columns.items()),
    )


def rank_change(place: int, before: int | None) -> tuple[str, str]:
    """How re-ranking changed the rank of the passage at ``place``: a symbol and words."""
    if before is None:
        return "", "not in the fused list"
    if before == place:
        return "=", "same rank"
    sign, way = ("↑", "up") if before > place else ("↓", "down")
    return sign, f"{way} {abs(before - place)}, from rank {before}"


def _column(way: str, hits: Sequence[Mapping[str, Any]], fused: Sequence[str]) -> Markup:
    heading, entry = title(way), described(way)
    heading = heading[:1].upper() + heading[1:]
    explanation = (entry.explanation or entry.about) if entry else ""
    cards = joined(_card(way, place, hit, fused) for place, hit in enumerate(hits, 1))
    return html(
        '<section class="listing" aria-label="{}"><h3>{}</h3><p class="explanation">{}</p>{}'
        "</section>",
        heading,
        heading,
        explanation,
        html("<ol>{}</ol>", cards) if hits else html('<p class="none">Nothing found.</p>'),
    )


def _card(way: str, place: int, hit: Mapping[str, Any], fused: Sequence[str]) -> Markup:
    if way in RETRIEVERS:
        facts = [f"score {hit['score']:.3f}"]
    else:
        facts = [
            f"{title(name)} #{rank} ({hit['scores'][name]:.3f})"
            for name, rank in hit["ranks"].items()
        ]
    shift = Markup("")
    if way == HYBRID:
        facts.append(f"fused {hit['score']:.4f}")
    elif way == RERANKED:
        if "relevance" in hit:
            facts.append(f"relevance {hit['relevance']:.3f}")
        sign, words = rank_change(place, fused.index(hit["id"]) + 1 if hit["id"] in fused else None)
        shift = html('<p class="moved"><span aria-hidden="true">{}</span> {}</p>', sign, words)
    return html(
        '<li data-passage="{}"><details><summary>{}</summary><blockquote>{}</blockquote></details>'
        '<p class="source">{}</p><p class="scores">{}</p>{}</li>',
        hit["id"],
        hit["question"] or hit["title"] or hit["id"],
        hit["text"],
        link(hit["url"], hit["source"] or hit["record_id"]),
        " · ".join(facts),
        shift,
    )
