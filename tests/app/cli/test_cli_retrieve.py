"""``anamnesis retrieve`` as its user meets it."""

import json

import pytest

from app.cli.main import main
from retrievers.corpus import Found
from retrievers.index import Index

pytestmark = pytest.mark.usefixtures("at_starter")
QUESTION = "What are the symptoms of asthma?"


@pytest.mark.parametrize("method", ["sparse", "dense", "hybrid", "reranked", "rank-bm25"])
def test_retrieve_lists_passages_with_ranks_and_scores(
    method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["retrieve", QUESTION, "--method", method, "--k", "3", "--json"]) == 0
    hits = json.loads(capsys.readouterr().out)
    assert len(hits) == 3
    assert hits[0]["question"] == QUESTION
    assert hits[0]["ranks"]
    assert set(hits[0]["ranks"]) == set(hits[0]["scores"])
    assert ("relevance" in hits[0]) == (method == "reranked")


def test_the_library_gives_the_sparse_list(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    library = Index.sparse_by_library

    def listed(index: Index, words: str, k: int) -> list[Found]:
        asked.append(words)
        return library(index, words, k)

    monkeypatch.setattr(Index, "sparse_by_library", listed)
    lists = []
    for method in ("sparse", "rank-bm25"):
        assert main(["retrieve", QUESTION, "--method", method, "--k", "3", "--json"]) == 0
        hits = json.loads(capsys.readouterr().out)
        lists.append([(hit["id"], round(hit["score"], 9)) for hit in hits])
    assert lists[0] == lists[1]
    assert set(asked) == {QUESTION}
