import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from anamnesis.corpus.record import Record
from anamnesis.errors import SettingError
from anamnesis.models import query_tuning
from retrievers.corpus import Found
from retrievers.fusion import reciprocal_rank_fusion, standardised_fusion
from retrievers.index import Index
from retrievers.search import search
from tests.retrievers.conftest import Put, records

INHERITED = "This condition is inherited in an autosomal recessive pattern in each cell."


@pytest.fixture
def index(put: Put, opened: Callable[[], Index]) -> Index:
    put(records(200))
    return opened()


def test_one_method_gives_its_own_list_with_raw_scores(index: Index) -> None:
    hits = search(index, "gout drug9", ["sparse"], k=5)
    expected = index.sparse("gout drug9", 5)
    assert [hit["id"] for hit in hits] == [hit.id for hit in expected]
    assert hits[0] == {
        "id": "r9#0",
        "record_id": "r9",
        "score": expected[0].score,
        "ranks": {"sparse": 1},
        "scores": {"sparse": expected[0].score},
    }
    dense = search(index, "gout drug9", ["dense"], k=5)
    assert [hit["ranks"] for hit in dense] == [{"dense": rank} for rank in range(1, 6)]


def test_both_methods_are_fused_over_their_candidates(index: Index) -> None:
    query = "How is gout 9 treated?"
    lists = {
        name: [hit["id"] for hit in search(index, query, [name], k=30)]
        for name in ("sparse", "dense")
    }
    fused = reciprocal_rank_fusion(lists)[:10]
    hits = search(index, query, k=10)
    assert [(hit["id"], hit["score"], hit["ranks"]) for hit in hits] == [
        (doc.id, doc.score, doc.ranks) for doc in fused
    ]
    assert all(hit["scores"].keys() == hit["ranks"].keys() for hit in hits)


def test_standardised_scores_can_be_fused_in_place_of_ranks(index: Index) -> None:
    query = "How is gout 9 treated?"
    lists = {
        name: {hit["id"]: hit["score"] for hit in search(index, query, [name], k=30)}
        for name in ("sparse", "dense")
    }
    for weights in (None, {"dense": 3.0}):
        hits = search(index, query, k=10, fusion="standardised", weights=weights)
        fused = standardised_fusion(lists, weights)[:10]
        assert [(hit["id"], hit["ranks"]) for hit in hits] == [(doc.id, doc.ranks) for doc in fused]
        assert [hit["score"] for hit in hits] == pytest.approx([doc.score for doc in fused])
    by_ranks = search(index, query, k=10)
    assert [hit["score"] for hit in hits] != [hit["score"] for hit in by_ranks]


def test_standardised_scores_of_one_method_are_its_own(index: Index) -> None:
    alone = search(index, "gout drug9", ["sparse"], k=5, fusion="standardised")
    assert alone == search(index, "gout drug9", ["sparse"], k=5)
    both = search(index, "gout", k=5, fusion="standardised", weights={"sparse": 0})
    assert all(set(hit["ranks"]) == {"dense"} for hit in both)


def test_candidates_and_weights_change_the_fusion(index: Index) -> None:
    hits = search(index, "gout drug9 measles", k=10, candidates=5)
    assert max(max(hit["ranks"].values()) for hit in hits) <= 5
    alone = search(index, "gout drug9 measles", ["dense"], k=10)
    weighed = search(index, "gout drug9 measles", k=10, weights={"sparse": 0, "dense": 2})
    assert [hit["id"] for hit in weighed] == [hit["id"] for hit in alone]


def test_a_passage_of_the_dense_list_is_always_among_several(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The lists have no passage in common, and the sparse one counts much more.
    far = index.dense(index.embedder.embed_queries(["rabies kind k7"])[0], 200)[::-1]
    query = "drug1 drug2 drug3 drug4 drug5"
    sparse = {hit["id"] for hit in search(index, query, ["sparse"], k=30)}
    others = [hit for hit in far if hit.id not in sparse]
    monkeypatch.setattr(Index, "dense", lambda self, vector, k: others[:k])
    for k in (2, 3, 5):
        hits = search(index, query, k=k, weights={"sparse": 1000, "dense": 0.001})
        assert len(hits) == k
        assert [hit["id"] for hit in hits if "dense" in hit["ranks"]] == [others[0].id]


def test_a_reduced_query_asks_for_the_words_that_carry_meaning(index: Index) -> None:
    asked = "Hello doctor, what could I do about my gout drug9, please?"
    reduced = search(index, asked, ["sparse"], k=5, reduce_query=True)
    assert reduced == search(index, "hello gout drug9", ["sparse"], k=5)
    [whole, words] = index.embedder.embed_queries([asked, "hello gout drug9"])
    mean = (whole + words) / np.linalg.norm(whole + words)
    found = search(index, asked, ["dense"], k=5, reduce_query=True)
    expected = index.dense(mean, 5)
    assert [hit["id"] for hit in found] == [hit.id for hit in expected]
    assert found[0]["score"] == pytest.approx(expected[0].score, abs=1e-6)


def test_a_tuned_query_asks_the_dense_list_for_the_moved_vector(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = "what could I do about my gout drug9, please?"
    [vector] = index.embedder.embed_queries([asked])
    monkeypatch.setattr(query_tuning, "tuned", lambda vectors, _: vectors[:, ::-1])
    expected = index.dense(np.ascontiguousarray(vector[::-1]), 5)
    for reduced in (False, True):
        found = search(index, asked, ["dense"], k=5, reduce_query=reduced, query_adapter=True)
        assert [hit["id"] for hit in found] == [one.id for one in expected]
        assert found[0]["score"] == pytest.approx(expected[0].score, abs=1e-6)
    plain = search(index, asked, ["sparse"], k=5)
    assert search(index, asked, ["sparse"], k=5, query_adapter=True) == plain


def test_an_index_of_another_embedder_is_asked_for_the_question_as_it_is(index: Index) -> None:
    plain = search(index, "gout drug9", ["dense"], k=5)
    assert search(index, "gout drug9", ["dense"], k=5, query_adapter=True) == plain


@pytest.mark.parametrize("query", ["what is it?", "?", "the"])
def test_a_query_of_function_words_alone_is_asked_as_it_is(index: Index, query: str) -> None:
    plain = search(index, query, k=5)
    assert search(index, query, k=5, reduce_query=True) == plain


def test_hits_are_plain_json(index: Index) -> None:
    hits = search(index, "gout")
    assert json.loads(json.dumps(hits)) == hits


@pytest.mark.parametrize("query", ["", "  \n", "?!", "…", "\ud800", "\0", "x" * 5000])
@pytest.mark.parametrize("methods", [("sparse",), ("dense",), ("sparse", "dense")])
def test_no_query_is_an_error(index: Index, query: str, methods: tuple[str, ...]) -> None:
    hits = search(index, query, methods)  # type: ignore[arg-type]
    assert bool(hits) == (bool(query.strip()) and "dense" in methods)


def test_an_empty_index_finds_nothing(put: Put, opened: Callable[[], Index]) -> None:
    put([])
    assert search(opened(), "gout") == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": 0},
        {"k": 2.5},
        {"k": True},
        {"candidates": 0},
        {"candidates": -3},
        {"methods": []},
        {"methods": "sparse"},
        {"methods": ["sparse", "sparse"]},
        {"methods": ["fuzzy"]},
        {"rrf_k": -1},
        {"weights": {"fuzzy": 1}},
        {"weights": {"dense": -1}},
        {"weights": {"sparse": 0, "dense": 0}},
        {"methods": ["sparse"], "weights": {"dense": 1}},
    ],
)
def test_settings_that_make_no_sense_are_refused(index: Index, wrong: dict[str, object]) -> None:
    with pytest.raises(SettingError):
        search(index, "gout", **wrong)  # type: ignore[arg-type]


def test_records_with_the_same_question_are_different_documents(
    put: Put, opened: Callable[[], Index]
) -> None:
    repeated_records = [
        Record(f"s{n}", "Gout", f"Gout is treated with drug{n}.", "How is gout treated?", "Test")
        for n in range(4)
    ]
    put([*repeated_records, *records(8)])
    hits = search(opened(), "How is gout treated?", k=10)
    assert {record.id for record in repeated_records} <= {hit["record_id"] for hit in hits[:5]}


@pytest.fixture
def alike(put: Put, opened: Callable[[], Index]) -> Index:
    """One text that answers 300 questions, among others about the same conditions."""
    same = [
        Record(f"i{n}", f"Condition{n}", INHERITED, f"Is condition{n} inherited?")
        for n in range(300)
    ]
    other = [
        Record(f"o{n}", f"Condition{n}", f"Sign{n} and fever are seen.", f"Signs of condition{n}?")
        for n in range(300)
    ]
    put([*same, *other])
    return opened()


@pytest.mark.parametrize("methods", [("sparse",), ("dense",), ("sparse", "dense")])
@pytest.mark.parametrize("number", [0, 7, 299])
def test_a_text_that_answers_many_questions_is_listed_once_as_the_best_match(
    alike: Index, methods: tuple[str, ...], number: int
) -> None:
    query = f"Is condition{number} inherited?"
    hits = search(alike, query, methods, k=10)  # type: ignore[arg-type]
    texts = [passage.text for passage in alike.passages([hit["id"] for hit in hits])]
    assert len(set(texts)) == len(texts) > 1
    assert hits[texts.index(INHERITED)]["id"] == f"i{number}#0"


@pytest.mark.parametrize(("dense", "shown"), [(("o5#0", "i9#0"), "i7#0"), (("i9#0",), "i9#0")])
def test_lists_that_prefer_different_records_of_a_text_show_the_one_that_is_higher(
    alike: Index, dense: tuple[str, ...], shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [
        Found(passage.id, 0.9 - 0.1 * rank, passage.digest)
        for rank, passage in enumerate(alike.passages(dense))
    ]
    monkeypatch.setattr(alike, "dense", lambda vector, k: found[:k])
    hits = search(alike, "Is condition7 inherited?", k=5)
    (hit,) = (hit for hit in hits if hit["id"].startswith("i"))
    assert hit["id"] == shown
    assert hit["ranks"] == {"sparse": 2, "dense": len(dense)}
    assert hit["scores"]["dense"] == found[-1].score


class Server:
    """An index that returns both lists in one request, when two requests have arrived."""

    def __init__(self, index: Index, arrived: Barrier) -> None:
        self.index, self.arrived = index, arrived

    def __getattr__(self, name: str) -> Any:
        return getattr(self.index, name)

    def both(self, words: str, vector: Any, k: int) -> tuple[list[Found], list[Found]]:
        self.arrived.wait(timeout=10)
        return self.index.sparse(words, k), self.index.dense(vector, k)


def test_one_search_does_not_wait_for_another(index: Index) -> None:
    server: Any = Server(index, Barrier(2))
    questions = ["How is gout 9 treated?", "How is gout 12 treated?"]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda question: search(server, question, k=5), questions))
    assert found == [search(index, question, k=5) for question in questions]
