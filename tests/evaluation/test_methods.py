"""The application's methods of retrieval: what they search for [R7]."""

from typing import Any, cast

import pytest

from evaluation import methods
from nodes.evidence import by_method
from nodes.settings.context import Context
from retrievers.corpus import Corpus

ASKED = "What is gout, and who gets it?"
METHODS = ["sparse", "dense", "hybrid"]


@pytest.mark.parametrize(("preset", "reduced"), [("sparse-dense", False), ("default", True)])
def test_every_list_is_searched_with_the_question_as_written_where_the_paper_does(
    preset: str, reduced: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, dict[str, Any]]] = []

    def search(_: Any, query: str, *given: Any, **more: Any) -> list[Any]:
        seen.append((query, more))
        return []

    monkeypatch.setattr(by_method, "search", search)
    context = Context.model_validate({"preset": preset})
    for rank in methods.rankers(cast(Corpus, None), METHODS, "own", context).values():
        rank(ASKED)
    assert [query for query, _ in seen] == [ASKED] * 3
    assert [bool(more.get("reduce_query")) for _, more in seen] == [False, False, reduced]
    assert [more["query_adapter"] for _, more in seen] == [reduced] * 3
    fused = seen[2][1]
    assert (fused["fusion"], fused["candidates"]) == (
        ("standardised", 100) if reduced else ("rrf", 30)
    )
