"""What is searched for: the latest query, each open question, options, and facts alone."""

import pytest

from anamnesis import SettingError
from nodes.parts import Parts
from nodes.retrieve import retrieve
from retrievers.index import Index
from tests.nodes.steps import judged, round_of, run, selected, state_of

GOUT = {"question": "What is gout?", "query": "What is gout?"}
MEASLES = {"question": "What is measles?", "query": "What is measles?"}


def test_the_latest_query_is_searched_by_every_list(small_index: Index) -> None:
    state = state_of(queries=["What is asthma?", "What is gout?"])
    hits = run(retrieve, state, Parts(given_index=small_index))["hits"]
    assert hits[0]["record_id"] == "gout"
    assert hits[0]["ranks"] == {"sparse": 1, "dense": 1}


def test_each_of_several_questions_has_its_own_hits(small_index: Index) -> None:
    state = state_of(sub_questions=[GOUT, MEASLES])
    hits = run(retrieve, state, Parts(given_index=small_index))["hits"]
    best = {hit["part"]: hit["record_id"] for hit in reversed(hits)}
    assert best == {1: "gout", 2: "measles"}


def test_a_later_round_searches_only_what_is_open(small_index: Index) -> None:
    kept = selected("gout", part=1)
    state = state_of(
        sub_questions=[{**GOUT, "closed": True}, MEASLES],
        hits=[kept],
        rounds=[round_of(judged("Gout hurts.", part=1), score=1.0)],
    )
    hits = run(retrieve, state, Parts(given_index=small_index))["hits"]
    assert [hit["id"] for hit in hits if hit["part"] == 1] == [kept["id"]]
    assert next(hit["record_id"] for hit in hits if hit["part"] == 2) == "measles"


def test_the_options_of_a_question_are_searched_for_and_yes_and_no_are_not(
    small_index: Index,
) -> None:
    def best(options: dict[str, str]) -> float:
        state = state_of(queries=["Which disease?"], keyed_options=options)
        hits = run(retrieve, state, Parts(given_index=small_index), retrieval__methods=["sparse"])
        return max((hit["score"] for hit in hits["hits"]), default=0.0)

    assert best({"A": "uric acid crystals", "B": "cats"}) > best({"A": "yes", "B": "no"})


def test_facts_alone_need_an_index_with_facts(small_index: Index) -> None:
    with pytest.raises(SettingError, match="the index contains no facts"):
        run(retrieve, state_of(), Parts(given_index=small_index), preset="mkrag")
