"""The four columns of a search."""

from pathlib import Path
from typing import Any

import pytest

from anamnesis import SettingError
from anamnesis.models.reranker import DEFAULT_RERANKER
from app.best_passages import best_passages
from app.web.comparing import SHOWN, columns_html, compare, rank_change
from nodes.settings.context import Context
from retrievers.index import open_index
from retrievers.search import search
from tests.app.web.pages import one, read


def hit(name: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name, "record_id": name, "score": 0.25, "ranks": {"sparse": 2, "dense": 1},
        "scores": {"sparse": 7.5, "dense": 0.5}, "title": "T", "question": f"{name}?",
        "text": "<script>x</script>", "source": "S", "url": "https://s.test", **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("place", "before", "expected"),
    [
        (1, 3, ("↑", "up 2, from rank 3")),
        (4, 1, ("↓", "down 3, from rank 1")),
        (2, 2, ("=", "same rank")),
        (2, None, ("", "not in the fused list")),
    ],
)
def test_what_reranking_moved_is_shown(place: int, before: int, expected: tuple[str, str]) -> None:
    assert rank_change(place, before) == expected


def test_columns_show_ranks_scores_and_moves() -> None:
    page = read(
        columns_html(
            {
                "sparse": [hit("a", score=7.5)],
                "dense": [],
                "hybrid": [hit("a"), hit("b")],
                "reranked": [hit("b", relevance=0.875), hit("a")],
            }
        )
    )
    bm25, dense, hybrid, reranked = page.select("section")
    assert bm25["aria-label"] == "BM25"
    assert one(bm25, ".scores").get_text() == "score 7.500"
    assert one(dense, ".none").get_text() == "Nothing found."
    assert [element.get_text() for element in hybrid.select(".scores")] == [
        "BM25 #2 (7.500) · dense #1 (0.500) · fused 0.2500"
    ] * 2
    assert "relevance 0.875" in reranked.select(".scores")[0].get_text()
    assert "relevance" not in reranked.select(".scores")[1].get_text()
    assert [element.get_text().strip() for element in reranked.select(".moved")] == [
        "↑ up 1, from rank 2",
        "↓ down 1, from rank 1",
    ]
    assert not page.select("script")
    assert reranked.select("blockquote")[0].get_text() == "<script>x</script>"


def test_no_column_is_longer_than_what_is_shown() -> None:
    page = read(columns_html({"hybrid": [hit(str(number)) for number in range(2 * SHOWN)]}))
    assert len(page.select("li")) == SHOWN


def test_the_columns_are_what_retrieve_gives(starter_home: Path) -> None:
    index = open_index(starter_home / "index")
    question = "signs of a stroke"
    columns = compare(index, question, DEFAULT_RERANKER)
    assert list(columns) == ["sparse", "dense", "hybrid", "reranked"]
    assert columns["reranked"] == best_passages(index, question, "reranked", SHOWN)
    fused = {hit["id"] for hit in columns["hybrid"]}
    assert {hit["id"] for hit in columns["reranked"]} <= fused
    # What the fused list says of the others is what these show.
    for hit in columns["hybrid"]:
        for way, rank in hit["ranks"].items():
            if rank <= SHOWN:
                alone = columns[way][rank - 1]  # type: ignore[index]
                assert alone["score"] == hit["scores"][way]
    assert "stroke" in columns["reranked"][0]["text"].lower()
    assert "reranked" not in compare(index, question, None)


def test_a_depth_of_none_is_refused(starter_home: Path) -> None:
    with pytest.raises(SettingError, match="must be 1 or more"):
        best_passages(open_index(starter_home / "index"), "asthma", "sparse", 0)


def test_the_columns_are_searched_as_the_settings_say(starter_home: Path) -> None:
    index = open_index(starter_home / "index")
    question = "What are the signs of a stroke, and what should be done?"
    context = Context.model_validate({"preset": "sparse-dense"})
    columns = compare(index, question, "similarity", context)
    hits = search(index, question, candidates=30, k=2 * SHOWN)
    assert [hit["score"] for hit in columns["hybrid"]] == [hit["score"] for hit in hits]
    usual = compare(index, question, "similarity")
    assert columns["sparse"][0]["score"] != usual["sparse"][0]["score"]
    relevance = [hit["relevance"] for hit in columns["reranked"]]
    assert relevance == sorted(relevance, reverse=True)
