"""Each passage that was found and not used says what dropped it."""

from typing import cast

from nodes.evidence.unused import insufficient, unread, unselected
from nodes.fields.passages import Selected
from retrievers.search import Hit


def hit(key: str) -> Hit:
    return {"id": key, "record_id": key, "score": 1.0, "ranks": {}, "scores": {}}


def read(key: str, relevance: float) -> Selected:
    found = {"relevance": relevance, "polar": {}, "sentences": [[0, 4, 0.25], [5, 9, 0.5]]}
    return cast(Selected, {**hit(key), **found})


def test_what_was_not_read_names_its_place() -> None:
    [left] = unread([hit("a"), hit("b")], {"a"}, 1)
    assert left == {
        "passage": "b",
        "why": "not read: place 2 of the fused list, and 1 are read",
    }


def test_what_was_read_and_not_selected_names_relevance_and_sentences() -> None:
    passage, first, second = unselected([read("a", 0.9), read("b", 0.4)], {"a"}, 1)
    assert passage["why"] == "relevance 0.40: place 2 after reading, and 1 passages are used"
    assert first == {
        "passage": "b",
        "start": 0,
        "end": 4,
        "why": "its passage is not used; probability of the sentence 0.25",
    }
    assert second["why"].endswith("0.50")


def test_what_is_below_the_threshold_names_both_figures() -> None:
    found = [read("a", 0.9), {**read("b", 0.2), "part": 2}]
    below = insufficient(cast(list[Selected], found), 0.31)
    assert [item["passage"] for item in below] == ["b"] * 3
    assert (below[0]["why"], below[0]["part"]) == ("relevance 0.20, below 0.31", 2)
    assert insufficient([read("a", 0.9)], 0.31, "the search found no new passage")[0]["why"] == (
        "the search found no new passage"
    )
